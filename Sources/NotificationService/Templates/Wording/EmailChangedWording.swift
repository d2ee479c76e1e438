/// "email-changed": to the old address: the account has another address now (G-12).
enum EmailChangedWording {
    static let wordings = Wordings(
        english: """
            Subject: Your email for {{product}} has changed
            Title: Your email has changed

            Since {{time}} your {{product}} account has used {{address}} instead of this address. \
            Mails go there from now on.

            If that was you, there is nothing to do.

            If it was not you, contact {{product}} at once.
            """,
        german: """
            Subject: Deine E-Mail-Adresse für {{product}} wurde geändert
            Title: Deine E-Mail-Adresse wurde geändert

            Seit dem {{time}} verwendet dein Konto bei {{product}} {{address}} statt dieser \
            Adresse. Mails gehen ab jetzt dorthin.

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, wende dich sofort an {{product}}.
            """,
        spanish: """
            Subject: Tu correo en {{product}} ha cambiado
            Title: Tu correo ha cambiado

            Desde el {{time}}, tu cuenta de {{product}} usa {{address}} en lugar de esta \
            dirección. Los correos llegarán allí a partir de ahora.

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, contacta cuanto antes con {{product}}.
            """,
        french: """
            Subject: Votre adresse pour {{product}} a changé
            Title: Votre adresse a changé

            Depuis le {{time}}, votre compte {{product}} utilise {{address}} à la place de cette \
            adresse. Les e-mails y sont désormais envoyés.

            Si c’était vous, vous n’avez rien à faire.

            Sinon, contactez {{product}} sans attendre.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスが変更されました
            Title: メールアドレスが変更されました

            {{time}}に、{{product}}のアカウントのメールアドレスがこのアドレスから{{address}}に変更されました。今後のメールは新しいアドレスに届きます。

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐに{{product}}にご連絡ください。
            """)
}
