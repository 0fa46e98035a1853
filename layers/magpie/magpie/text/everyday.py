"""
Words of everyday messages that are no function words: questions, wishes, courtesies, what is asked of
a company, and what is typed short. They tell languages apart, no more: a word that two languages
share may stand in both lists, and a form without accents need not stand beside the form with them.
"""

EVERYDAY = {
    "en": """hello hi hey thanks thank please price prices pricing cost costs much many who what how when where why which
        does did is are do can could would tell me show more shorter explain again book call meeting email phone team
        work working born job jobs joke name old hired hiring latest newest project projects article articles blog post
        use help need want write wrote written give send say said sorry bye goodbye later born good morning website open
        opening closed i'm it's don't what's who's how's you're guys someone somebody anyone anything something thing
        quote serve cheap cheapest free discount invoice near nearby founded owner made make build built take long short
        today tomorrow week month year years understand mean wrong right got any there here office address hours still
        u r ur pls plz thx ty asap whats wheres whos hows dont doesnt didnt cant isnt im ive youre thats gonna wanna""",
    "pt": """olá oi obrigado obrigada preço preços quanto custa custam quantos quantas vocês vosso vossa você qual
        quais quem como onde quando porquê contacto contato equipa equipe projeto projetos artigo artigos têm tens
        fazem faz fez são reunião reunir marcar falar falo trabalho trabalha trabalham vagas vaga preciso precisamos
        quero gostaria diz isso isto resposta mais curto simples encurta resume explica traduz outra vez último bom dia
        boa tarde noite ajuda ajudar escrito escreveu nome disseste significa trabalhar fizeram sobre ainda já então dá
        dás podes pode podem poderia desculpa desculpe entendi percebi entender manda mandar envia envie abre abrem
        aberto aberta fecha orçamento barato barata grátis desconto fatura perto fundou demora hoje amanhã semana mês
        ano anos alguém alguma algum coisa só aqui aí lá favor endereço morada horário escritório telefone dono
        vc vcs obg obgd tb tbm pq blz pra pro tá""",
    "es": """hola gracias precio precios cuánto cuesta cuestan cuántos cuántas cuál cuáles quién quiénes cómo dónde
        cuándo qué ustedes vosotros usted contacto equipo proyecto proyectos artículo artículos tienen tenéis hacen
        hacéis hizo reunión reservar llamada hablar hablo trabajo trabaja trabajan trabajando empleo puesto puestos
        necesito necesitamos quiero quisiera dice eso esto respuesta corto corta sencillo simple acorta resume explica
        traduce otra vez último buenos buenas días tardes noches ayuda ayudar escribió hicieron puedes puede podrías
        puedo ponlo dilo dime hazlo acórtalo resúmelo tradúcelo mándame envíame manda envía perdón disculpa disculpe
        entiendo entendí entender abre abren abierto cierra presupuesto barato barata descuento factura cerca
        fundó tarda hoy mañana semana mes año años alguien alguna algún cosa así aquí ahí allí ahora favor dirección
        correo horario oficina teléfono dueño enlace nueva nuevo sigue porfa xq tmb""",
    "fr": """bonjour salut merci prix combien coûte coûtent coût quel quelle quels quelles qui comment où quand
        pourquoi est-ce c'est s'il contact équipe projet projets article articles avez faites faire fait rendez-vous
        réunion parler parle travail travaille travaillez emploi poste postes besoin veux voudrais dit réponse plus
        court courte simple résume explique traduis encore dernier bonsoir aide aider écrit pouvez peux êtes votre vos
        quoi était désolé désolée pardon compris comprends envoie envoyez ouvert ouverte ouvre ouvrez fermé devis tarif
        tarifs cher gratuit remise facture près fondé fonde prend temps aujourd'hui demain semaine mois année ans
        quelqu'un quelque chose rien ici maintenant adresse horaires bureau téléphone numéro patron lien nouveau
        nouvelle toujours bossez boîte faut svp stp mrc slt bjr cest jai""",
    "de": """hallo danke bitte preis preise kostet kosten wieviel viel wie viele wer was wo wann warum welche welcher
        kontakt ansprechpartner projekt projekte artikel habt seid macht machen gemacht termin buchen sprechen arbeit
        arbeitet arbeiten stellen stelle brauche brauch möchte sagt antwort kürzer einfacher erkläre übersetze nochmal
        letzte neueste guten tag morgen abend hilfe helfen geschrieben könnt kannst euch euer eure gibt tschüss
        schreibt schick schickt mal denn eben gerade offen offene geöffnet auf entschuldigung verstehe verstanden
        angebot billig günstig rabatt rechnung nähe gegründet dauert lang lange heute woche monat jahr jahre jemand
        jemanden etwas nichts hier jetzt adresse öffnungszeiten büro telefon nummer chef neue neuer dringend frage
        reden versteh erklär bin bist gibts habs ists wars ne nen nich nix grad""",
    "it": """ciao grazie prezzo prezzi quanto costa costano quanti quante quale quali chi come dove quando perché
        contatto squadra progetto progetti articolo articoli avete fate riunione prenotare parlare parlo lavoro lavora
        lavorate bisogno voglio vorrei dice questo risposta breve corto semplice riassumi spiega traduci ancora ultimo
        buongiorno buonasera aiuto aiutare aiutate scritto potete puoi posso siete vostro vostra cosa che scusa scusi
        capito capisco mandami manda inviami invia aperto aperti chiuso preventivo economico gratis sconto fattura
        vicino fondato ci vuole oggi domani settimana mese anno anni qualcuno qualcosa niente così qui adesso ora
        indirizzo orari ufficio telefono numero capo nuovo nuova sito posti posto serve mi fatto favore cmq nn""",
    "nl": """hallo hoi bedankt dank prijs prijzen kost kosten hoeveel wie wat waar wanneer waarom welke hoe contact
        team project projecten artikel artikelen hebben jullie doen maken maakt gemaakt afspraak boeken praten spreken
        werk werken werkt vacatures vacature nodig wil graag zegt antwoord korter eenvoudiger leg uit vertaal nogmaals
        laatste nieuwste goedemorgen goedendag hulp helpen geschreven kunnen kun zijn duurt stuur stuurt even sorry snap
        begrijp begrepen open gesloten offerte tarief tarieven goedkoop gratis korting factuur dichtbij opgericht lang
        vandaag morgen week maand jaar iemand iets niets hier nu adres openingstijden kantoor telefoon nummer baas
        nieuwe nieuw vraag vraagje zitten zit snel aub mn ff""",
    "vi": """chào xin cảm ơn giá bao nhiêu ai gì nào đâu khi thế nào tại sao liên hệ đội dự án bài viết các bạn có làm
        hẹn nói chuyện việc cần muốn trả lời ngắn gọn hơn giải thích dịch lại mới nhất buổi sáng giúp viết tôi bạn mình
        bên lỗi hiểu gửi hỏi thêm chút mở cửa đóng báo gấp rẻ miễn phí giảm hóa đơn gần thành lập mất lâu hôm nay mai
        ngày tuần tháng năm người nhân viên đường số địa chỉ giờ văn phòng điện thoại sếp công ty tuyển dụng khách hàng
        được không chưa rồi nhé nha vậy à ạ ơi cái này kia đó ko dc mk""",
}  # fmt: skip

# Said in all our languages: they tell nothing, and mislead whoever looks at their letters.
_LOANS = """app apps blog bot chat chatbot cloud content design email feedback freelance frontend backend hosting internet
    intranet laptop link links login logo logos mail mails marketing newsletter offline online parking pdf podcast react
    seo server site sites smartphone software startup startups support team ux web webdesign website websites wifi
    workshop workshops
    baguette baguettes brioche brunch burger café cappuccino catering ciabatta croissant croissants espresso focaccia
    gnocchi latte menu paella pasta pizza pizzas quiche ramen restaurant risotto schnitzel snack snacks sushi tapas
    tiramisu tiramisù vegan"""
LOANS = frozenset(_LOANS.split())
