/// "welcome": an account was created (N-01, D0).
enum WelcomeWording {
    static let wordings = Wordings(
        english: """
            Subject: Welcome to {{product}}
            Title: Welcome{{#name}}, {{name}}{{/name}}!

            Your account with {{product}} is ready.

            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If you did not sign up, somebody has probably mistyped an address: ignore this mail.
            """,
        german: """
            Subject: Willkommen bei {{product}}
            Title: Willkommen{{#name}}, {{name}}{{/name}}!

            Dein Konto bei {{product}} ist bereit.

            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du dich nicht registriert hast, hat sich vermutlich jemand bei der Adresse \
            vertippt: Ignoriere diese Mail.
            """,
        spanish: """
            Subject: Te damos la bienvenida a {{product}}
            Title: ¡Hola{{#name}}, {{name}}{{/name}}!

            Tu cuenta de {{product}} está lista.

            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si no te has registrado, seguramente alguien escribió mal una dirección: ignora este \
            correo.
            """,
        french: """
            Subject: Bienvenue sur {{product}}
            Title: Bienvenue{{#name}}, {{name}}{{/name}}\u{A0}!

            Votre compte {{product}} est prêt.

            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si vous ne vous êtes pas inscrit, quelqu’un a sans doute mal saisi une adresse\u{A0}: \
            ignorez cet e-mail.
            """,
        japanese: """
            Subject: {{product}}へようこそ
            Title: {{#name}}{{name}}さん、{{/name}}ようこそ

            {{product}}のアカウントができました。

            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            登録したお心当たりがない場合は、どなたかがアドレスを間違えたと思われます。このメールは無視してください。
            """)
}
