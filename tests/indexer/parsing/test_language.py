"""The language of prose. The sentences were written for this test."""

import pytest

from indexer.parsing.language import detect_language

SENTENCES = {
    "en": "The harbour was closed for the winter, and it is not known when the boats will be back "
    "from the islands in the north.",
    "de": "Der Hafen war im Winter geschlossen, und es ist nicht bekannt, wann die Boote von den "
    "Inseln zurück sind, auf denen sie sich befinden.",
    "fr": "Le port est fermé pour la saison et les bateaux qui sont dans les îles ne rentrent pas "
    "avec le vent du nord, ce que vous savez.",
    "es": "El puerto está cerrado en invierno y no se sabe cuando los barcos que son de las islas "
    "del norte vuelven con más pescado para la ciudad.",
    "it": "Il porto è chiuso per la stagione e non si sa quando le barche che sono nelle isole del "
    "nord tornano con il pesce per la città, come nel passato.",
    "pt": "O porto está fechado no inverno e não se sabe quando os barcos que são das ilhas do "
    "norte voltam com mais peixe para a cidade, como em um ano bom.",
    "nl": "De haven is in de winter gesloten en het is niet bekend wanneer de boten van de "
    "eilanden terug zijn, zoals dat er bij ons aan de kust wordt gezegd.",
    "sv": "Hamnen är stängd på vintern och det är inte känt när båtarna som är på öarna kan komma "
    "till staden med fisk från havet, eller om de har något att sälja.",
    "fi": "Satama on kiinni talvella ja se ei ole tiedossa, kun veneet ovat taas täällä, mutta hän "
    "sen voi sanoa, joka on myös merellä kuin muut ja tämä on niin.",
    "pl": "Port jest zamknięty w zimie i nie wiadomo, kiedy łodzie z wysp na północy są z powrotem,"
    " ale jak to się mówi, od morza do miasta jest dla nich daleko.",
    "cs": "Přístav je v zimě zavřený a není známo, kdy se lodě z ostrovů na severu vrátí do města, "
    "ale jsou to lodě, které jako první do přístavu může pustit.",
    "hu": "A kikötő télen zárva van, és nem lehet tudni, hogy a hajók az északi szigetekről már "
    "mikor jönnek vissza, de ez csak egy a sok közül, mint volt.",
    "tr": "Liman kışın kapalı ve bu teknelerin ne zaman geri geleceği belli değil, ama bir gün "
    "adalardan daha çok balık ile gelir, bu da şehir için iyi bir şey olarak kadar.",
    "ru": "Порт закрыт на зиму, и не известно, когда лодки с островов на севере вернутся в город, "
    "но это было так и для тех, кто был при море, как его отец.",
    "uk": "Порт закрито на зиму, і не відомо, коли човни з островів на півночі є в місті, але це "
    "було так і для тих, що були при морі, як його батько та мати або також.",
    "sr": "Лука је затворена током зиме, и нико не зна када ће се чамци вратити са острва.",
    "mk": "Пристаништето е затворено во зима и никој не знае кога ќе се вратат чамците.",
    "da": "Havnen er lukket om vinteren, og ingen ved, hvornår bådene kommer tilbage fra øerne "
    "uden at være blevet spurgt af nogen.",
    "ro": "Portul este închis iarna și nimeni nu știe când se întorc bărcile de pe insule.",
    "id": "Pelabuhan ditutup pada musim dingin dan tidak ada yang tahu kapan perahu kembali.",
    "vi": "Cảng đóng cửa vào mùa đông và không ai biết khi nào thuyền sẽ trở về.",
    "el": "Το λιμάνι είναι κλειστό τον χειμώνα.",
    "he": "הנמל סגור בחורף.",
    "ar": "الميناء مغلق في فصل الشتاء ولا يعرف أحد متى تعود القوارب.",
    "fa": "بندر در زمستان بسته است و کسی نمی‌داند قایق‌ها چه زمانی برمی‌گردند.",
    "hi": "बंदरगाह सर्दियों में बंद रहता है।",
    "ka": "ნავსადგური ზამთარში დახურულია.",
    "lo": "ທ່າເຮືອປິດໃນລະດູໜາວ",
    "km": "កំពង់ផែបិទនៅរដូវរងារ",
    "my": "ဆိပ်ကမ်းကို ဆောင်းရာသီတွင် ပိတ်ထားသည်။",
    "th": "ท่าเรือปิดในฤดูหนาว",
    "zh": "港口在冬天关闭，没有人知道船什么时候回来。",
    "ja": "港は冬の間閉まっていて、船がいつ戻るかは誰も知らない。",
    "ko": "항구는 겨울에 닫혀 있고 배가 언제 돌아올지 아무도 모른다.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_enough(language):
    assert detect_language(SENTENCES[language]) == language


def test_plain_english_needs_no_model(monkeypatch):
    monkeypatch.setattr("indexer.parsing.language._identifier", None)

    assert (
        detect_language("The lamp of the tower is lit in the evening, and it is seen. " * 10)
        == "en"
    )


def test_foreign_names_do_not_decide():
    text = SENTENCES["ru"] + " apt-get install build-essential debhelper lintian quilt "

    assert detect_language(text * 3) == "ru"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Is the harbour closed in winter?"),
        ("de", "Ist der Hafen im Winter geschlossen?"),
        ("fr", "Le port est-il fermé en hiver, et pourquoi ?"),
        ("ru", "Закрыт ли порт зимой и почему?"),
        ("pl", "Czy port jest zamknięty zimą?"),
    ],
)
def test_a_question_is_enough(language, text):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "for (int i = 0; i < n; i++) { total += rows[i].value; }\n" * 20,
        "2023-05-02 12:00:11 host sshd[311]: ERROR 0x00ff3a conn 10.2.0.1\n" * 30,
        "id,name,price\n" + "17,ab12,3.50\n" * 100,
    ],
)
def test_code_logs_and_tables_have_no_language(text):
    assert detect_language(text) == ""


@pytest.mark.parametrize(
    "text", ["", "1 2 3", "ERROR 17 at 0x3f\n" * 50, "Vela Kerrow Ostrey " * 30]
)
def test_unsure_is_said(text):
    assert detect_language(text) == ""
