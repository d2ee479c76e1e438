/// "email-already-registered": somebody tried to sign up with an address that has an account
/// (design.md, Sign-up on a taken address).
enum EmailAlreadyRegisteredWording {
    static let wordings = Wordings(
        english: """
            Subject: You already have an account with {{product}}
            Title: You already have an account

            Somebody, perhaps you, tried to sign up for {{product}} with this email address. It \
            already has an account, so nothing was changed.

            If it was you, sign in as usual.

            If it was not you, there is nothing to do: your account is safe.
            """,
        german: """
            Subject: Du hast schon ein Konto bei {{product}}
            Title: Du hast schon ein Konto

            Jemand, vielleicht du, wollte sich mit dieser E-Mail-Adresse bei {{product}} \
            registrieren. Dafür gibt es schon ein Konto, es wurde also nichts geändert.

            Wenn du das warst, melde dich wie gewohnt an.

            Wenn nicht, musst du nichts tun: Dein Konto ist sicher.
            """,
        spanish: """
            Subject: Ya tienes una cuenta en {{product}}
            Title: Ya tienes una cuenta

            Alguien, quizá tú, intentó registrarse en {{product}} con esta dirección de correo. Ya \
            tiene una cuenta, así que no ha cambiado nada.

            Si fuiste tú, inicia sesión como siempre.

            Si no fuiste tú, no tienes que hacer nada: tu cuenta está a salvo.
            """,
        french: """
            Subject: Vous avez déjà un compte {{product}}
            Title: Vous avez déjà un compte

            Quelqu’un, peut-être vous, a essayé de s’inscrire à {{product}} avec cette adresse \
            e-mail. Elle a déjà un compte\u{A0}: rien n’a été changé.

            Si c’était vous, connectez-vous comme d’habitude.

            Sinon, vous n’avez rien à faire\u{A0}: votre compte est en sécurité.
            """,
        japanese: """
            Subject: {{product}}のアカウントは登録済みです
            Title: アカウントは登録済みです

            このメールアドレスで{{product}}に登録しようとした方がいます（ご本人かもしれません）。すでにアカウントがあるため、何も変更されていません。

            ご本人の場合は、いつもどおりログインしてください。

            そうでない場合も、何もする必要はありません。アカウントは安全です。
            """)
}
