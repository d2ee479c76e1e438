/// "account-suspended": the operator has suspended the account (I-09). The reason is not included,
/// because it is the operator's internal text.
enum AccountSuspendedWording {
    static let wordings = Wordings(
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
}
