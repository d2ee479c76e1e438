/// "verify-email": a link that verifies an address (G-02, G-12).
enum VerifyEmailWording {
    static let wordings = Wordings(
        english: """
            Subject: Confirm your email for {{product}}
            Title: Confirm your email

            Please confirm that this is your email address for {{product}}.

            [Confirm email]({{link}})

            The link works once, for a short time.

            If you did not sign up, ignore this mail: nothing will happen.
            """,
        german: """
            Subject: Bestätige deine E-Mail-Adresse für {{product}}
            Title: Bestätige deine E-Mail-Adresse

            Bitte bestätige, dass dies deine E-Mail-Adresse für {{product}} ist.

            [E-Mail-Adresse bestätigen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit.

            Wenn du dich nicht registriert hast, ignoriere diese Mail: Es passiert nichts.
            """,
        spanish: """
            Subject: Confirma tu correo para {{product}}
            Title: Confirma tu correo

            Confirma que esta es tu dirección de correo para {{product}}.

            [Confirmar correo]({{link}})

            El enlace funciona una sola vez y por poco tiempo.

            Si no te has registrado, ignora este correo: no pasará nada.
            """,
        french: """
            Subject: Confirmez votre adresse e-mail pour {{product}}
            Title: Confirmez votre adresse e-mail

            Veuillez confirmer que cette adresse e-mail est bien la vôtre pour {{product}}.

            [Confirmer l’adresse]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps.

            Si vous ne vous êtes pas inscrit, ignorez cet e-mail\u{A0}: il ne se passera rien.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスの確認
            Title: メールアドレスの確認

            これが{{product}}で使うご自分のメールアドレスであることを確認してください。

            [メールアドレスを確認する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。

            登録したお心当たりがない場合は、このメールを無視してください。何も起こりません。
            """)
}
