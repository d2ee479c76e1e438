/// "address-claimed": the owner of the address has proved it; what was set up before was removed
///
enum AddressClaimedWording {
    static let wordings = Wordings(
        english: """
            Subject: We secured your account with {{product}}
            Title: We secured your account

            On {{time}} you proved that this email address is yours. Until then nobody had, so \
            somebody else might have set up the account in your name.

            To be safe we signed out all other devices{{#methods}} and removed what was set up \
            before: {{methods}}{{/methods}}.

            If you had set it up yourself, you can add it again in your account.
            """,
        german: """
            Subject: Wir haben dein Konto bei {{product}} gesichert
            Title: Wir haben dein Konto gesichert

            Am {{time}} hast du bestätigt, dass dir diese E-Mail-Adresse gehört. Bis dahin hatte \
            das niemand getan: Jemand anderes hätte das Konto in deinem Namen einrichten können.

            Zur Sicherheit haben wir alle anderen Geräte abgemeldet{{#methods}} und entfernt, was \
            zuvor eingerichtet war: {{methods}}{{/methods}}.

            Wenn du das selbst eingerichtet hattest, kannst du es in deinem Konto wieder hinzufügen.
            """,
        spanish: """
            Subject: Hemos protegido tu cuenta de {{product}}
            Title: Hemos protegido tu cuenta

            El {{time}} demostraste que esta dirección de correo es tuya. Hasta entonces nadie lo \
            había hecho, así que otra persona podría haber creado la cuenta en tu nombre.

            Por seguridad hemos cerrado la sesión en los demás dispositivos{{#methods}} y quitado \
            lo que se había configurado antes: {{methods}}{{/methods}}.

            Si lo habías configurado tú, puedes volver a añadirlo en tu cuenta.
            """,
        french: """
            Subject: Nous avons sécurisé votre compte {{product}}
            Title: Nous avons sécurisé votre compte

            Le {{time}}, vous avez prouvé que cette adresse e-mail est la vôtre. Jusque-là \
            personne ne l’avait fait\u{A0}: quelqu’un d’autre aurait pu créer le compte à votre \
            nom.

            Par sécurité, nous avons déconnecté tous les autres appareils{{#methods}} et retiré ce \
            qui avait été configuré auparavant\u{A0}: {{methods}}{{/methods}}.

            Si vous l’aviez configuré vous-même, vous pouvez l’ajouter de nouveau dans votre compte.
            """,
        japanese: """
            Subject: {{product}}のアカウントを保護しました
            Title: アカウントを保護しました

            {{time}}に、このメールアドレスがご本人のものであることが確認されました。それまでは未確認だったため、ほかの方があなたの名前でアカウントを設定していた可能性があります。

            安全のため、ほかのすべてのデバイスからログアウトし{{#methods}}、以前に設定されていたもの（{{methods}}）を削除し{{/methods}}ました。

            ご自分で設定されたものは、アカウントからもう一度追加できます。
            """)
}
