/// "deletion-done": the account was deleted (G-20).
enum DeletionDoneWording {
    static let wordings = Wordings(
        english: """
            Subject: Your {{product}} account is deleted
            Title: Your account is deleted

            Your {{product}} account and all its data have been deleted. This is the last mail \
            about it.

            You can sign up anew at any time, with the same email address too.
            """,
        german: """
            Subject: Dein Konto bei {{product}} ist gelöscht
            Title: Dein Konto ist gelöscht

            Dein Konto bei {{product}} und alle seine Daten wurden gelöscht. Dies ist die letzte \
            Mail dazu.

            Du kannst dich jederzeit neu registrieren, auch mit derselben E-Mail-Adresse.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} se ha eliminado
            Title: Tu cuenta se ha eliminado

            Tu cuenta de {{product}} y todos sus datos se han eliminado. Este es el último correo \
            sobre ella.

            Puedes registrarte de nuevo cuando quieras, también con la misma dirección de correo.
            """,
        french: """
            Subject: Votre compte {{product}} est supprimé
            Title: Votre compte est supprimé

            Votre compte {{product}} et toutes ses données ont été supprimés. Ceci est le dernier \
            e-mail à ce sujet.

            Vous pouvez vous réinscrire à tout moment, y compris avec la même adresse e-mail.
            """,
        japanese: """
            Subject: {{product}}：アカウントを削除しました
            Title: アカウントを削除しました

            {{product}}のアカウントとすべてのデータを削除しました。これに関するメールはこれが最後です。

            同じメールアドレスでも、いつでも新しく登録できます。
            """)
}
