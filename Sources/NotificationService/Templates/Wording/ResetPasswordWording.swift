/// "reset-password": a link to choose a new password (G-11).
enum ResetPasswordWording {
    static let wordings = Wordings(
        english: """
            Subject: Choose a new password for {{product}}
            Title: Choose a new password

            Somebody, hopefully you, wants to set a new password for your {{product}} account.

            [Choose a new password]({{link}})

            The link works once, for a short time. With a new password, all your devices are \
            signed out.

            If it was not you, ignore this mail: your password stays as it is.
            """,
        german: """
            Subject: Neues Passwort für {{product}}
            Title: Wähle ein neues Passwort

            Jemand, hoffentlich du, möchte für dein Konto bei {{product}} ein neues Passwort \
            festlegen.

            [Neues Passwort wählen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit. Mit dem neuen Passwort werden \
            alle deine Geräte abgemeldet.

            Wenn du das nicht warst, ignoriere diese Mail: Dein Passwort bleibt, wie es ist.
            """,
        spanish: """
            Subject: Nueva contraseña para {{product}}
            Title: Elige una contraseña nueva

            Alguien, esperamos que tú, quiere poner una contraseña nueva a tu cuenta de {{product}}.

            [Elegir contraseña]({{link}})

            El enlace funciona una sola vez y por poco tiempo. Con la contraseña nueva se cerrará \
            la sesión en todos tus dispositivos.

            Si no fuiste tú, ignora este correo: tu contraseña no cambia.
            """,
        french: """
            Subject: Nouveau mot de passe pour {{product}}
            Title: Choisissez un nouveau mot de passe

            Quelqu’un, vous sans doute, souhaite définir un nouveau mot de passe pour votre compte \
            {{product}}.

            [Choisir un mot de passe]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps. Avec le nouveau mot de passe, \
            tous vos appareils seront déconnectés.

            Si ce n’était pas vous, ignorez cet e-mail\u{A0}: votre mot de passe reste le même.
            """,
        japanese: """
            Subject: {{product}}：新しいパスワードの設定
            Title: 新しいパスワードの設定

            {{product}}のアカウントに新しいパスワードを設定するご依頼がありました。

            [新しいパスワードを設定する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。新しいパスワードを設定すると、すべてのデバイスからログアウトします。

            お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。
            """)
}
