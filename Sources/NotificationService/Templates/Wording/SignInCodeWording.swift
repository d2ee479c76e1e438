/// "sign-in-code": a code to sign in with or to reauthenticate (G-13).
enum SignInCodeWording {
    static let wordings = Wordings(
        english: """
            Subject: Your sign-in code for {{product}}
            Title: Your sign-in code

            Enter this code to sign in to {{product}}:

            {{code}}

            It works once and is valid for {{minutes}} min. Give it to nobody.

            If you did not ask for it, somebody may be trying to sign in as you. Without the code \
            they cannot.
            """,
        german: """
            Subject: Dein Anmeldecode für {{product}}
            Title: Dein Anmeldecode

            Gib diesen Code ein, um dich bei {{product}} anzumelden:

            {{code}}

            Er funktioniert einmal und gilt {{minutes}} Min. Gib ihn an niemanden weiter.

            Wenn du ihn nicht angefordert hast, versucht vielleicht jemand, sich als du \
            anzumelden. Ohne den Code geht das nicht.
            """,
        spanish: """
            Subject: Tu código de acceso a {{product}}
            Title: Tu código de acceso

            Escribe este código para entrar en {{product}}:

            {{code}}

            Funciona una sola vez y vale {{minutes}} min. No se lo des a nadie.

            Si no lo has pedido, quizá alguien intente entrar en tu cuenta. Sin el código no puede.
            """,
        french: """
            Subject: Votre code de connexion à {{product}}
            Title: Votre code de connexion

            Saisissez ce code pour vous connecter à {{product}}\u{A0}:

            {{code}}

            Il fonctionne une seule fois et reste valable {{minutes}} min. Ne le donnez à personne.

            Si vous ne l’avez pas demandé, quelqu’un essaie peut-être de se connecter à votre \
            place. Sans le code, c’est impossible.
            """,
        japanese: """
            Subject: {{product}}のログインコード
            Title: ログインコード

            {{product}}にログインするには、次のコードを入力してください。

            {{code}}

            コードは一度だけ使え、{{minutes}}分間有効です。誰にも教えないでください。

            お心当たりがない場合は、どなたかがあなたとしてログインしようとしている可能性があります。コードがなければログインできません。
            """)
}
