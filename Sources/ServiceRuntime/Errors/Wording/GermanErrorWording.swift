extension ErrorCode {
    /// The catalogue's sentence in German. Addresses the user as „Sie“.
    var german: String {
        switch self {
        case .accountDisabled: "Dieses Konto wurde gesperrt. Bitte wenden Sie sich an den Support."
        case .alreadySignedIn: "Sie sind bereits angemeldet. Bitte melden Sie sich zuerst ab."
        case .appleCancelled: "Die Anmeldung mit Apple wurde abgebrochen."
        case .codeExpired: "Dieser Code ist abgelaufen. Bitte fordern Sie einen neuen an."
        case .credentialAlreadyInUse: "Diese Anmeldemethode gehört bereits zu einem anderen Konto."
        case .deviceKeyRequired:
            "Diese App muss aktualisiert werden, bevor Sie sich anmelden können."
        case .deviceMismatch:
            "Diese Anmeldung gehört zu einem anderen Gerät. Bitte melden Sie sich an."
        case .deviceProofRequired:
            "Dieses Gerät muss sich ausweisen. Bitte versuchen Sie es erneut."
        case .deviceProofStale: "Die Uhr dieses Geräts geht falsch. Bitte versuchen Sie es erneut."
        case .emailAlreadyInUse:
            "Zu dieser E-Mail-Adresse gibt es bereits ein Konto. Bitte melden Sie sich an."
        case .emailNotVerified: "Bitte bestätigen Sie zuerst Ihre E-Mail-Adresse."
        case .googleCancelled: "Die Anmeldung mit Google wurde abgebrochen."
        case .idempotencyKeyReused:
            "Diese Anfrage wurde bereits für etwas anderes verwendet. Bitte beginnen Sie von vorn."
        case .invalidAccessToken: "Bitte melden Sie sich erneut an."
        case .invalidChoice: "Hier gibt es nichts mehr auszuwählen."
        case .invalidCode: "Dieser Code stimmt nicht. Bitte prüfen Sie ihn."
        case .invalidCredential: "Die E-Mail-Adresse oder das Passwort stimmt nicht."
        case .invalidDeviceKey:
            "Dieses Gerät konnte nicht registriert werden. Bitte versuchen Sie es erneut."
        case .invalidDeviceProof:
            "Dieses Gerät konnte sich nicht ausweisen. Bitte versuchen Sie es erneut."
        case .invalidEmail: "Bitte geben Sie eine gültige E-Mail-Adresse ein."
        case .invalidLink: "Dieser Link ist abgelaufen oder wurde bereits verwendet."
        case .invalidNonce: "Diese Anmeldung hat zu lange gedauert. Bitte versuchen Sie es erneut."
        case .invalidPhoneNumber:
            "Bitte geben Sie eine gültige Telefonnummer mit Ländervorwahl ein."
        case .invalidProviderToken:
            "Die Anmeldung ist fehlgeschlagen, bitte versuchen Sie es erneut."
        case .invalidRefreshToken: "Bitte melden Sie sich erneut an."
        case .invalidSignInProof: "Bitte melden Sie sich erneut an."
        case .lastMethod:
            "Dieses Konto hat keine andere Anmeldemethode. Bitte fügen Sie zuerst eine hinzu."
        case .methodNotLinked: "Dieses Konto hat diese Anmeldemethode nicht."
        case .operationNotAllowed: "Diese Anmeldemethode steht hier nicht zur Verfügung."
        case .parentalConsentRequired:
            "Zuerst muss ein Elternteil oder eine sorgeberechtigte Person zustimmen."
        case .passwordNeeded:
            "Bitte geben Sie ein Passwort ein, um diese E-Mail-Adresse zu bestätigen."
        case .phoneCountryNotAllowed: "An Nummern dieses Landes können wir keine Codes senden."
        case .providerAlreadyLinked: "Diese Anmeldemethode ist bereits mit Ihrem Konto verknüpft."
        case .providerCancelled: "Die Anmeldung wurde abgebrochen."
        case .providerRevoked:
            "Die Verbindung zu diesem Anbieter besteht nicht mehr. Bitte melden Sie sich erneut an."
        case .providerUnavailable:
            "Der Anbieter ist nicht erreichbar. Bitte versuchen Sie es erneut oder auf anderem Weg."
        case .refreshTokenReplayed:
            "Ihre Anmeldung wurde doppelt verwendet und ist beendet. Bitte melden Sie sich an."
        case .requiresRecentLogin: "Bitte bestätigen Sie noch einmal, dass Sie es sind."
        case .secondProofRequired: "Bitte bestätigen Sie auf einem zweiten Weg, dass Sie es sind."
        case .sessionEnded: "Ihre Sitzung ist beendet. Bitte melden Sie sich an."
        case .sessionNotFound: "Diese Sitzung wurde nicht gefunden."
        case .tooManyRequests: "Zu viele Versuche. Bitte warten Sie, bevor Sie es erneut versuchen."
        case .underageUser: "Sie sind nicht alt genug, um ein Konto zu haben."
        case .weakPassword: "Bitte wählen Sie ein stärkeres Passwort."
        case .cancelled: "Die Anfrage wurde abgebrochen."
        case .deadlineExceeded: "Das hat zu lange gedauert. Bitte versuchen Sie es erneut."
        case .internalError: "Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es erneut."
        case .invalidArgument: "Diese Anfrage ist nicht gültig."
        case .notFound: "Das wurde nicht gefunden."
        case .permissionDenied: "Das ist nicht erlaubt."
        case .resourceExhausted:
            "Wir sind gerade ausgelastet. Bitte versuchen Sie es gleich noch einmal."
        case .unauthenticated: "Der Absender dieser Anfrage ist nicht bekannt."
        case .unavailable: "Wir sind gerade nicht erreichbar. Bitte versuchen Sie es erneut."
        case .unknownMethod: "Das steht hier nicht zur Verfügung."
        }
    }
}
