/// "email-change-confirm": to the new address: confirm the change (G-12).
enum EmailChangeConfirmWording {
    static let wordings = Wordings(
        english: """
            Subject: Confirm your new email for {{product}}
            Title: Confirm your new email

            A {{product}} account is to use this email address from now on. Please confirm that it \
            is yours.

            [Confirm email]({{link}})

            The link works once, for a short time.

            If you did not ask for this, ignore this mail: nothing will change.
            """,
        german: """
            Subject: Bestätige deine neue E-Mail-Adresse für {{product}}
            Title: Bestätige deine neue E-Mail-Adresse

            Ein Konto bei {{product}} soll künftig diese E-Mail-Adresse verwenden. Bitte \
            bestätige, dass sie dir gehört.

            [E-Mail-Adresse bestätigen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit.

            Wenn du das nicht wolltest, ignoriere diese Mail: Es ändert sich nichts.
            """,
        spanish: """
            Subject: Confirma tu nuevo correo para {{product}}
            Title: Confirma tu nuevo correo

            Una cuenta de {{product}} va a usar esta dirección de correo. Confirma que es tuya.

            [Confirmar correo]({{link}})

            El enlace funciona una sola vez y por poco tiempo.

            Si no lo has pedido, ignora este correo: no cambiará nada.
            """,
        french: """
            Subject: Confirmez votre nouvelle adresse pour {{product}}
            Title: Confirmez votre nouvelle adresse

            Un compte {{product}} doit désormais utiliser cette adresse e-mail. Veuillez confirmer \
            qu’elle est à vous.

            [Confirmer l’adresse]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps.

            Si vous ne l’avez pas demandé, ignorez cet e-mail\u{A0}: rien ne changera.
            """,
        japanese: """
            Subject: {{product}}：新しいメールアドレスの確認
            Title: 新しいメールアドレスの確認

            {{product}}のアカウントで今後このメールアドレスを使うご依頼がありました。ご自分のアドレスであることを確認してください。

            [メールアドレスを確認する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。

            お心当たりがない場合は、このメールを無視してください。何も変わりません。
            """)
}
