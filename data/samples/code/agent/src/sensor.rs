//! From ultrasonic pings to one distance: correct for the temperature of the air, drop outliers,
//! take the middle. The hardware sits behind the `Pinger` trait so that tests need none.

/// Pings taken for one reading, spread over forty seconds to average out the waves.
pub const PINGS: usize = 80;
/// Fewer echoes than this and the reading is reported as "no echo".
pub const MIN_ECHOES: usize = 24;
/// The sensor is blind to anything nearer than this: the ping is still ringing.
pub const BLIND_ZONE_MM: f64 = 350.0;

pub trait Pinger {
    /// Send one ping; the time until its echo in microseconds, or `None`.
    fn ping(&mut self) -> Option<u32>;
    /// Temperature of the air halfway down the mast, in degrees Celsius.
    fn air_temperature(&mut self) -> Option<f64>;
}

/// Speed of sound in air in metres per second. Good to 0.1 % between -20 and +40 degrees, which
/// is four millimetres at four metres: less than the waves.
pub fn sound_speed(celsius: f64) -> f64 {
    331.3 * (1.0 + celsius / 273.15).sqrt()
}

pub struct Sensor<P: Pinger> {
    pinger: P,
    last_temperature: f64,
    stale_temperatures: u32,
}

impl<P: Pinger> Sensor<P> {
    pub fn new(pinger: P) -> Self {
        Self { pinger, last_temperature: 8.0, stale_temperatures: 0 }
    }

    /// One distance in millimetres. Outliers are judged by the median absolute deviation, because
    /// the mean and the standard deviation are themselves pulled away by a single bird.
    pub fn measure(&mut self) -> Option<u16> {
        let speed = sound_speed(self.temperature());
        let mut distances: Vec<f64> = (0..PINGS)
            .filter_map(|_| self.pinger.ping())
            .map(|microseconds| f64::from(microseconds) * speed / 2_000.0)
            .filter(|mm| *mm > BLIND_ZONE_MM)
            .collect();
        if distances.len() < MIN_ECHOES {
            return None;
        }
        let middle = median(&mut distances);
        let mut deviations: Vec<f64> = distances.iter().map(|mm| (mm - middle).abs()).collect();
        let allowed = (4.0 * median(&mut deviations)).max(5.0);
        distances.retain(|mm| (mm - middle).abs() <= allowed);
        Some(median(&mut distances).round() as u16)
    }

    /// The last good temperature is used for up to an hour; after that the yearly mean of the
    /// coast, 8 degrees, is a smaller error than a thermometer that froze in August.
    fn temperature(&mut self) -> f64 {
        match self.pinger.air_temperature() {
            Some(celsius) if (-30.0..=45.0).contains(&celsius) => {
                self.last_temperature = celsius;
                self.stale_temperatures = 0;
            }
            _ => {
                self.stale_temperatures += 1;
                if self.stale_temperatures > 60 {
                    self.last_temperature = 8.0;
                }
            }
        }
        self.last_temperature
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 {
        values[half]
    } else {
        (values[half - 1] + values[half]) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u32);

    impl Pinger for Fixed {
        fn ping(&mut self) -> Option<u32> {
            Some(self.0)
        }
        fn air_temperature(&mut self) -> Option<f64> {
            Some(20.0)
        }
    }

    #[test]
    fn a_still_pond_is_measured_to_the_millimetre() {
        // 20 000 microseconds there and back at 343.2 m/s are 3 432 mm.
        assert_eq!(Sensor::new(Fixed(20_000)).measure(), Some(3_432));
    }

    #[test]
    fn echoes_from_the_blind_zone_do_not_count() {
        assert_eq!(Sensor::new(Fixed(1_000)).measure(), None);
    }
}
