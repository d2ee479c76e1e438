/// "verify-email-code": a code that verifies an address (G-12).
enum VerifyEmailCodeWording {
    static let wordings = Wordings(
        english: """
            Subject: Confirm your email for {{product}}
            Title: Confirm your email

            Enter this code in {{product}} to confirm that this is your email address:

            {{code}}

            It works once and is valid for {{minutes}} min. Give it to nobody.

            If you did not ask for it, ignore this mail: nothing will happen.
            """,
        german: """
            Subject: Bestätige deine E-Mail-Adresse für {{product}}
            Title: Bestätige deine E-Mail-Adresse

            Gib diesen Code bei {{product}} ein, um zu bestätigen, dass dies deine E-Mail-Adresse \
            ist:

            {{code}}

            Er funktioniert einmal und gilt {{minutes}} Min. Gib ihn an niemanden weiter.

            Wenn du ihn nicht angefordert hast, ignoriere diese Mail: Es passiert nichts.
            """,
        spanish: """
            Subject: Confirma tu correo para {{product}}
            Title: Confirma tu correo

            Escribe este código en {{product}} para confirmar que esta es tu dirección de correo:

            {{code}}

            Funciona una sola vez y vale {{minutes}} min. No se lo des a nadie.

            Si no lo has pedido, ignora este correo: no pasará nada.
            """,
        french: """
            Subject: Confirmez votre adresse e-mail pour {{product}}
            Title: Confirmez votre adresse e-mail

            Saisissez ce code dans {{product}} pour confirmer que cette adresse e-mail est bien la \
            vôtre\u{A0}:

            {{code}}

            Il fonctionne une seule fois et reste valable {{minutes}} min. Ne le donnez à personne.

            Si vous ne l’avez pas demandé, ignorez cet e-mail\u{A0}: il ne se passera rien.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスの確認
            Title: メールアドレスの確認

            ご自分のメールアドレスであることを確認するため、{{product}}で次のコードを入力してください。

            {{code}}

            コードは一度だけ使え、{{minutes}}分間有効です。誰にも教えないでください。

            お心当たりがない場合は、このメールを無視してください。何も起こりません。
            """)
}
