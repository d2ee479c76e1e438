/// "deletion-scheduled": the account will be deleted; until then the deletion can be cancelled
/// (G-19).
enum DeletionScheduledWording {
    static let wordings = Wordings(
        english: """
            Subject: Your {{product}} account will be deleted
            Title: Your account will be deleted

            Your {{product}} account and all its data will be deleted on {{time}}, as was asked \
            for. After that they cannot be brought back.

            If you have changed your mind, sign in before then and cancel the deletion.

            If it was not you, cancel it, change your password and sign out all devices.
            """,
        german: """
            Subject: Dein Konto bei {{product}} wird gelöscht
            Title: Dein Konto wird gelöscht

            Dein Konto bei {{product}} wird wie angefordert mit allen Daten am {{time}} gelöscht. \
            Danach lässt es sich nicht wiederherstellen.

            Wenn du es dir anders überlegt hast, melde dich vorher an und brich die Löschung ab.

            Wenn du das nicht warst, brich sie ab, ändere dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} se eliminará
            Title: Tu cuenta se eliminará

            Tal como se pidió, tu cuenta de {{product}} y todos sus datos se eliminarán el \
            {{time}}. Después no se podrán recuperar.

            Si has cambiado de idea, inicia sesión antes y cancela la eliminación.

            Si no fuiste tú, cancélala, cambia tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Votre compte {{product}} va être supprimé
            Title: Votre compte va être supprimé

            Comme demandé, votre compte {{product}} et toutes ses données seront supprimés le \
            {{time}}. Ils ne pourront plus être récupérés ensuite.

            Si vous avez changé d’avis, connectez-vous avant et annulez la suppression.

            Si ce n’était pas vous, annulez-la, changez votre mot de passe et déconnectez tous vos \
            appareils.
            """,
        japanese: """
            Subject: {{product}}：アカウントは削除される予定です
            Title: アカウントは削除される予定です

            ご依頼により、{{product}}のアカウントとすべてのデータは{{time}}に削除されます。削除後は元に戻せません。

            取りやめる場合は、それまでにログインして削除を取り消してください。

            お心当たりがない場合は、削除を取り消し、パスワードを変更して、すべてのデバイスからログアウトしてください。
            """)
}
