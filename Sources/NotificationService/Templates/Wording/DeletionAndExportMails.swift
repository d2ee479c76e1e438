/// Mails about the deletion and the export of an account.
extension Wordings {
    /// "deletion-scheduled": the account will be deleted; until then the deletion can be cancelled
    /// (G-19).
    static let deletionScheduled = Wordings(
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

    /// "deletion-cancelled": the account's deletion was cancelled (G-19).
    static let deletionCancelled = Wordings(
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

    /// "deletion-done": the account was deleted (G-20).
    static let deletionDone = Wordings(
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

    /// "export-ready": an export of the account's data is ready (G-21).
    static let exportReady = Wordings(
        english: """
            Subject: Your data from {{product}} is ready
            Title: Your data is ready

            The archive of your {{product}} data that you asked for is ready.

            [Get your data]({{link}})

            The link works until {{time}}, and only while you are signed in.

            If you did not ask for it, change your password and sign out all devices.
            """,
        german: """
            Subject: Deine Daten von {{product}} sind bereit
            Title: Deine Daten sind bereit

            Das Archiv mit deinen Daten bei {{product}}, das du angefordert hast, ist bereit.

            [Daten abrufen]({{link}})

            Der Link funktioniert bis zum {{time}} und nur, während du angemeldet bist.

            Wenn du es nicht angefordert hast, ändere dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Tus datos de {{product}} están listos
            Title: Tus datos están listos

            El archivo con tus datos de {{product}} que pediste está listo.

            [Obtener mis datos]({{link}})

            El enlace funciona hasta el {{time}} y solo mientras tengas la sesión iniciada.

            Si no lo has pedido, cambia tu contraseña y cierra la sesión en todos los dispositivos.
            """,
        french: """
            Subject: Vos données {{product}} sont prêtes
            Title: Vos données sont prêtes

            L’archive de vos données {{product}} que vous avez demandée est prête.

            [Récupérer mes données]({{link}})

            Le lien fonctionne jusqu’au {{time}}, et seulement tant que vous êtes connecté.

            Si vous ne l’avez pas demandée, changez votre mot de passe et déconnectez tous vos \
            appareils.
            """,
        japanese: """
            Subject: {{product}}：データの準備ができました
            Title: データの準備ができました

            ご依頼いただいた{{product}}のデータの準備ができました。

            [データを受け取る]({{link}})

            リンクは{{time}}まで、ログイン中のみ有効です。

            お心当たりがない場合は、パスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
