/// "email-already-registered": a sign-up with an address that has an account (Sources/SECURITY.md,
/// Enumeration). The link leads to the app's page for forgotten passwords.
enum EmailAlreadyRegisteredWording {
    static let wordings = Wordings(
        english: """
            Subject: You already have an account with {{product}}
            Title: You already have an account

            Somebody, perhaps you, wanted to use this email address with {{product}}. It already \
            has an account, so nothing was changed.

            If it was you, sign in as before.

            - Ways to sign in: {{methods}}

            If you have forgotten your password, or never had one, you can set one here.

            [Set a password]({{link}})

            If it was not you, there is nothing to do: your account is safe.
            """,
        german: """
            Subject: Du hast schon ein Konto bei {{product}}
            Title: Du hast schon ein Konto

            Jemand, vielleicht du, wollte diese E-Mail-Adresse bei {{product}} verwenden. Dafür \
            gibt es schon ein Konto, es wurde also nichts geändert.

            Wenn du das warst, melde dich wie gewohnt an.

            - Anmeldung mit: {{methods}}

            Wenn du dein Passwort vergessen hast oder noch keines hattest, kannst du hier eines \
            festlegen.

            [Passwort festlegen]({{link}})

            Wenn nicht, musst du nichts tun: Dein Konto ist sicher.
            """,
        spanish: """
            Subject: Ya tienes una cuenta en {{product}}
            Title: Ya tienes una cuenta

            Alguien, quizá tú, quiso usar esta dirección de correo en {{product}}. Ya tiene una \
            cuenta, así que no ha cambiado nada.

            Si fuiste tú, inicia sesión como siempre.

            - Formas de entrar: {{methods}}

            Si has olvidado tu contraseña, o nunca tuviste una, puedes ponerla aquí.

            [Poner una contraseña]({{link}})

            Si no fuiste tú, no tienes que hacer nada: tu cuenta está a salvo.
            """,
        french: """
            Subject: Vous avez déjà un compte {{product}}
            Title: Vous avez déjà un compte

            Quelqu’un, peut-être vous, a voulu utiliser cette adresse e-mail pour {{product}}. \
            Elle a déjà un compte\u{A0}: rien n’a été changé.

            Si c’était vous, connectez-vous comme d’habitude.

            - Moyens de connexion\u{A0}: {{methods}}

            Si vous avez oublié votre mot de passe, ou n’en avez jamais eu, vous pouvez en définir \
            un ici.

            [Définir un mot de passe]({{link}})

            Sinon, vous n’avez rien à faire\u{A0}: votre compte est en sécurité.
            """,
        japanese: """
            Subject: {{product}}のアカウントは登録済みです
            Title: アカウントは登録済みです

            このメールアドレスを{{product}}で使おうとした方がいます（ご本人かもしれません）。すでにアカウントがあるため、何も変更されていません。

            ご本人の場合は、いつもどおりログインしてください。

            - ログイン方法：{{methods}}

            パスワードをお忘れの場合や、まだ設定していない場合は、こちらから設定できます。

            [パスワードを設定する]({{link}})

            ご本人でない場合も、何もする必要はありません。アカウントは安全です。
            """)
}
