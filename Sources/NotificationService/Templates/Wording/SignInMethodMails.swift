/// Mails about passwords and other sign-in methods.
extension Wordings {
    /// "password-changed": the password was changed (G-11, G-12).
    static let passwordChanged = Wordings(
        english: """
            Subject: Your password for {{product}} was changed
            Title: Your password was changed

            The password of your {{product}} account was changed. Your other devices were signed \
            out.

            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, set a new password at once with “Forgot password”.
            """,
        german: """
            Subject: Dein Passwort für {{product}} wurde geändert
            Title: Dein Passwort wurde geändert

            Das Passwort deines Kontos bei {{product}} wurde geändert. Deine anderen Geräte wurden \
            abgemeldet.

            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, setze sofort über „Passwort vergessen“ ein neues Passwort.
            """,
        spanish: """
            Subject: Tu contraseña de {{product}} ha cambiado
            Title: Tu contraseña ha cambiado

            Se ha cambiado la contraseña de tu cuenta de {{product}}. Se ha cerrado la sesión en \
            tus otros dispositivos.

            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, pon enseguida una contraseña nueva con «He olvidado mi contraseña».
            """,
        french: """
            Subject: Votre mot de passe pour {{product}} a été changé
            Title: Votre mot de passe a été changé

            Le mot de passe de votre compte {{product}} a été changé. Vos autres appareils ont été \
            déconnectés.

            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, définissez tout de suite un nouveau mot de passe avec «\u{A0}Mot de passe \
            oublié ».
            """,
        japanese: """
            Subject: {{product}}：パスワードが変更されました
            Title: パスワードが変更されました

            {{product}}のアカウントのパスワードが変更され、ほかのデバイスからログアウトしました。

            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐに「パスワードを忘れた場合」から新しいパスワードを設定してください。
            """)

    /// "method-added": a sign-in method was added (G-14, G-15).
    static let methodAdded = Wordings(
        english: """
            Subject: A new way to sign in to {{product}}
            Title: A new way to sign in

            Your {{product}} account has one more way to sign in.

            - Method: {{method}}
            - Device: {{device}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, remove it in your account, change your password and sign out all \
            devices.
            """,
        german: """
            Subject: Neue Anmeldemöglichkeit bei {{product}}
            Title: Neue Anmeldemöglichkeit

            Dein Konto bei {{product}} hat eine weitere Anmeldemöglichkeit.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, entferne sie in deinem Konto, ändere dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Nueva forma de entrar en {{product}}
            Title: Nueva forma de entrar

            Tu cuenta de {{product}} tiene una forma más de iniciar sesión.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, quítala en tu cuenta, cambia tu contraseña y cierra la sesión en \
            todos los dispositivos.
            """,
        french: """
            Subject: Nouveau moyen de connexion à {{product}}
            Title: Nouveau moyen de connexion

            Votre compte {{product}} dispose d’un moyen de connexion supplémentaire.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, retirez-le dans votre compte, changez votre mot de passe et déconnectez tous \
            vos appareils.
            """,
        japanese: """
            Subject: {{product}}：ログイン方法が追加されました
            Title: ログイン方法が追加されました

            {{product}}のアカウントにログイン方法が追加されました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、アカウントからその方法を削除し、パスワードを変更して、すべてのデバイスからログアウトしてください。
            """)

    /// "method-removed": a sign-in method was removed (G-14).
    static let methodRemoved = Wordings(
        english: """
            Subject: A way to sign in to {{product}} was removed
            Title: A way to sign in was removed

            A way to sign in was removed from your {{product}} account.

            - Method: {{method}}
            - Device: {{device}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Anmeldemöglichkeit bei {{product}} entfernt
            Title: Anmeldemöglichkeit entfernt

            Aus deinem Konto bei {{product}} wurde eine Anmeldemöglichkeit entfernt.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Se ha quitado una forma de entrar en {{product}}
            Title: Se ha quitado una forma de entrar

            Se ha quitado una forma de iniciar sesión de tu cuenta de {{product}}.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Moyen de connexion à {{product}} retiré
            Title: Moyen de connexion retiré

            Un moyen de connexion a été retiré de votre compte {{product}}.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：ログイン方法が削除されました
            Title: ログイン方法が削除されました

            {{product}}のアカウントからログイン方法が削除されました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
