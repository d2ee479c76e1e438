/// Mails about the account as a whole.
extension Wordings {
    /// "welcome": an account was created (N-01, D0).
    static let welcome = Wordings(
        english: """
            Subject: Welcome to {{product}}
            Title: Welcome{{#name}}, {{name}}{{/name}}!

            Your account with {{product}} is ready.

            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If you did not sign up, somebody has probably mistyped an address: ignore this mail.
            """,
        german: """
            Subject: Willkommen bei {{product}}
            Title: Willkommen{{#name}}, {{name}}{{/name}}!

            Dein Konto bei {{product}} ist bereit.

            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du dich nicht registriert hast, hat sich vermutlich jemand bei der Adresse \
            vertippt: Ignoriere diese Mail.
            """,
        spanish: """
            Subject: Te damos la bienvenida a {{product}}
            Title: ¡Hola{{#name}}, {{name}}{{/name}}!

            Tu cuenta de {{product}} está lista.

            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si no te has registrado, seguramente alguien escribió mal una dirección: ignora este \
            correo.
            """,
        french: """
            Subject: Bienvenue sur {{product}}
            Title: Bienvenue{{#name}}, {{name}}{{/name}}\u{A0}!

            Votre compte {{product}} est prêt.

            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si vous ne vous êtes pas inscrit, quelqu’un a sans doute mal saisi une adresse\u{A0}: \
            ignorez cet e-mail.
            """,
        japanese: """
            Subject: {{product}}へようこそ
            Title: {{#name}}{{name}}さん、{{/name}}ようこそ

            {{product}}のアカウントができました。

            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            登録したお心当たりがない場合は、どなたかがアドレスを間違えたと思われます。このメールは無視してください。
            """)

    /// "address-claimed": the owner of the address has proved it; what was set up before was
    /// removed.
    static let addressClaimed = Wordings(
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

    /// "account-suspended": the operator has suspended the account (I-09). The reason is not
    /// included, because it is the operator's internal text.
    static let accountSuspended = Wordings(
        english: """
            Subject: Your account with {{product}} was suspended
            Title: Your account was suspended

            On {{time}} your {{product}} account was suspended by those who run {{product}}.

            You were signed out on all devices and cannot sign in until the account is restored. \
            Your data stays as it is.

            If you think that this is a mistake, please write to the support of {{product}}.
            """,
        german: """
            Subject: Dein Konto bei {{product}} wurde gesperrt
            Title: Dein Konto wurde gesperrt

            Am {{time}} wurde dein Konto bei {{product}} vom Betreiber gesperrt.

            Du wurdest auf allen Geräten abgemeldet und kannst dich erst wieder anmelden, wenn das \
            Konto freigegeben ist. Deine Daten bleiben, wie sie sind.

            Wenn du das für einen Irrtum hältst, wende dich bitte an den Support von {{product}}.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} ha sido suspendida
            Title: Tu cuenta ha sido suspendida

            El {{time}}, los responsables de {{product}} suspendieron tu cuenta.

            Se ha cerrado tu sesión en todos los dispositivos y no podrás entrar hasta que la \
            cuenta se restablezca. Tus datos se conservan como están.

            Si crees que se trata de un error, escribe al servicio de asistencia de {{product}}.
            """,
        french: """
            Subject: Votre compte {{product}} a été suspendu
            Title: Votre compte a été suspendu

            Le {{time}}, votre compte a été suspendu par les responsables de {{product}}.

            Vous avez été déconnecté de tous vos appareils et ne pourrez plus vous connecter tant \
            que le compte n’aura pas été rétabli. Vos données restent telles quelles.

            Si vous pensez qu’il s’agit d’une erreur, écrivez à l’assistance de {{product}}.
            """,
        japanese: """
            Subject: {{product}}：アカウントが停止されました
            Title: アカウントが停止されました

            {{time}}に、{{product}}の運営者によりアカウントが停止されました。

            すべてのデバイスからログアウトしました。停止が解除されるまでログインできません。データはそのまま残ります。

            間違いと思われる場合は、{{product}}のサポートまでご連絡ください。
            """)

    /// "account-restored": the operator has lifted the account's suspension (I-09).
    static let accountRestored = Wordings(
        english: """
            Subject: Your account with {{product}} was restored
            Title: Your account was restored

            On {{time}} the suspension of your {{product}} account was lifted.

            You can sign in again as before. Links and codes that were sent to you earlier no \
            longer work.

            If you have questions, please write to the support of {{product}}.
            """,
        german: """
            Subject: Dein Konto bei {{product}} ist wieder frei
            Title: Dein Konto ist wieder frei

            Am {{time}} wurde die Sperre deines Kontos bei {{product}} aufgehoben.

            Du kannst dich wieder wie gewohnt anmelden. Links und Codes, die du davor bekommen \
            hast, gelten nicht mehr.

            Wenn du Fragen hast, wende dich bitte an den Support von {{product}}.
            """,
        spanish: """
            Subject: Tu cuenta de {{product}} vuelve a estar activa
            Title: Tu cuenta vuelve a estar activa

            El {{time}} se levantó la suspensión de tu cuenta de {{product}}.

            Puedes volver a iniciar sesión como antes. Los enlaces y códigos que recibiste \
            anteriormente ya no funcionan.

            Si tienes preguntas, escribe al servicio de asistencia de {{product}}.
            """,
        french: """
            Subject: Votre compte {{product}} est rétabli
            Title: Votre compte est rétabli

            Le {{time}}, la suspension de votre compte {{product}} a été levée.

            Vous pouvez de nouveau vous connecter comme avant. Les liens et les codes reçus \
            auparavant ne fonctionnent plus.

            Si vous avez des questions, écrivez à l’assistance de {{product}}.
            """,
        japanese: """
            Subject: {{product}}：アカウントの停止が解除されました
            Title: アカウントの停止が解除されました

            {{time}}に、{{product}}のアカウントの停止が解除されました。

            これまでどおりログインできます。以前にお送りしたリンクやコードは使えません。

            ご不明な点は、{{product}}のサポートまでご連絡ください。
            """)
}
