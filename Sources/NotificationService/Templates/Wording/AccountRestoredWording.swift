/// "account-restored": the operator has lifted the account's suspension (I-09).
enum AccountRestoredWording {
    static let wordings = Wordings(
        english: """
            Subject: Your account with {{product}} was restored
            Title: Your account was restored

            On {{time}} the suspension of your {{product}} account was lifted.

            You can sign in again as before. Links and codes that were sent to you earlier no \
            longer work.

            If you have questions, please write to the support of {{product}}.
            """,
        german: """
            Subject: Dein Konto bei {{product}} ist wieder frei
            Title: Dein Konto ist wieder frei

            Am {{time}} wurde die Sperre deines Kontos bei {{product}} aufgehoben.

            Du kannst dich wieder wie gewohnt anmelden. Links und Codes, die du davor bekommen \
            hast, gelten nicht mehr.

            Wenn du Fragen hast, wende dich bitte an den Support von {{product}}.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} vuelve a estar activa
            Title: Tu cuenta vuelve a estar activa

            El {{time}} se levantó la suspensión de tu cuenta de {{product}}.

            Puedes volver a iniciar sesión como antes. Los enlaces y códigos que recibiste \
            anteriormente ya no funcionan.

            Si tienes preguntas, escribe al servicio de asistencia de {{product}}.
            """,
        french: """
            Subject: Votre compte {{product}} est rétabli
            Title: Votre compte est rétabli

            Le {{time}}, la suspension de votre compte {{product}} a été levée.

            Vous pouvez de nouveau vous connecter comme avant. Les liens et les codes reçus \
            auparavant ne fonctionnent plus.

            Si vous avez des questions, écrivez à l’assistance de {{product}}.
            """,
        japanese: """
            Subject: {{product}}：アカウントの停止が解除されました
            Title: アカウントの停止が解除されました

            {{time}}に、{{product}}のアカウントの停止が解除されました。

            これまでどおりログインできます。以前にお送りしたリンクやコードは使えません。

            ご不明な点は、{{product}}のサポートまでご連絡ください。
            """)
}
