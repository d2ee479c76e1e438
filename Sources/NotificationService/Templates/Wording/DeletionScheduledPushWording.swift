/// "deletion-scheduled": the account will be deleted (G-19).
enum DeletionScheduledPushWording {
    static let wordings = Wordings(
        english: """
            Title: Account will be deleted

            Your account will be deleted on {{time}}. To keep it, sign in before then and cancel \
            the deletion.
            """,
        german: """
            Title: Konto wird gelöscht

            Dein Konto wird am {{time}} gelöscht. Um es zu behalten, melde dich vorher an und \
            brich die Löschung ab.
            """,
        spanish: """
            Title: Tu cuenta se eliminará

            Tu cuenta se eliminará el {{time}}. Para conservarla, inicia sesión antes y cancela la \
            eliminación.
            """,
        french: """
            Title: Suppression du compte

            Votre compte sera supprimé le {{time}}. Pour le conserver, connectez-vous avant et \
            annulez la suppression.
            """,
        japanese: """
            Title: アカウント削除の予定

            アカウントは{{time}}に削除されます。残す場合は、それまでにログインして削除を取り消してください。
            """)
}
