/// "deletion-cancelled": the account's deletion was cancelled (G-19).
enum DeletionCancelledWording {
    static let wordings = Wordings(
        english: """
            Subject: Your {{product}} account stays
            Title: Your account stays

            On {{time}} the deletion of your {{product}} account was cancelled. Your account and \
            your data stay.

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Dein Konto bei {{product}} bleibt
            Title: Dein Konto bleibt

            Am {{time}} wurde die Löschung deines Kontos bei {{product}} abgebrochen. Dein Konto \
            und deine Daten bleiben.

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} se conserva
            Title: Tu cuenta se conserva

            El {{time}} se canceló la eliminación de tu cuenta de {{product}}. Tu cuenta y tus \
            datos se conservan.

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Votre compte {{product}} est conservé
            Title: Votre compte est conservé

            Le {{time}}, la suppression de votre compte {{product}} a été annulée. Votre compte et \
            vos données sont conservés.

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：アカウントの削除を取り消しました
            Title: アカウントの削除を取り消しました

            {{time}}に、{{product}}のアカウントの削除が取り消されました。アカウントとデータはそのまま残ります。

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
