/// "export-ready": an export of the account's data is ready (G-21).
enum ExportReadyWording {
    static let wordings = Wordings(
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
