extension ErrorCode {
    /// The catalogue's sentence in French. Addresses the user as « vous »; apostrophes are
    /// typographic.
    var french: String {
        switch self {
        case .accountDisabled: "Ce compte a été désactivé. Veuillez contacter l’assistance."
        case .alreadySignedIn: "Vous êtes déjà connecté. Déconnectez-vous d’abord."
        case .appleCancelled: "La connexion avec Apple a été annulée."
        case .codeExpired: "Ce code a expiré. Veuillez en demander un nouveau."
        case .credentialAlreadyInUse: "Ce moyen de connexion appartient déjà à un autre compte."
        case .deviceKeyRequired:
            "Cette application doit être mise à jour avant que vous puissiez vous connecter."
        case .deviceMismatch:
            "Cette session appartient à un autre appareil. Veuillez vous connecter."
        case .deviceProofRequired: "Cet appareil doit s’identifier. Veuillez réessayer."
        case .deviceProofStale: "L’horloge de cet appareil n’est pas à l’heure. Veuillez réessayer."
        case .emailAlreadyInUse:
            "Un compte existe déjà avec cette adresse e-mail. Veuillez vous connecter."
        case .emailNotVerified: "Veuillez d’abord confirmer votre adresse e-mail."
        case .googleCancelled: "La connexion avec Google a été annulée."
        case .idempotencyKeyReused:
            "Cette demande a déjà servi à autre chose. Veuillez recommencer."
        case .invalidAccessToken: "Veuillez vous reconnecter."
        case .invalidChoice: "Il n’y a plus rien à choisir."
        case .invalidCode: "Ce code n’est pas correct. Veuillez le vérifier."
        case .invalidCredential: "L’adresse e-mail ou le mot de passe n’est pas correct."
        case .invalidDeviceKey: "Cet appareil n’a pas pu être enregistré. Veuillez réessayer."
        case .invalidDeviceProof: "Cet appareil n’a pas pu s’identifier. Veuillez réessayer."
        case .invalidEmail: "Veuillez saisir une adresse e-mail valide."
        case .invalidLink: "Ce lien a expiré ou a déjà été utilisé."
        case .invalidNonce: "Cette connexion a pris trop de temps. Veuillez réessayer."
        case .invalidPhoneNumber:
            "Veuillez saisir un numéro de téléphone valide avec l’indicatif du pays."
        case .invalidProviderToken: "La connexion a échoué, veuillez réessayer."
        case .invalidRefreshToken: "Veuillez vous reconnecter."
        case .invalidSignInProof: "Veuillez vous reconnecter."
        case .lastMethod:
            "C’est le seul moyen de se connecter à ce compte. Ajoutez-en d’abord un autre."
        case .methodNotLinked: "Ce compte ne dispose pas de ce moyen de connexion."
        case .operationNotAllowed: "Ce moyen de connexion n’est pas disponible ici."
        case .parentalConsentRequired: "L’accord d’un parent ou d’un tuteur est d’abord nécessaire."
        case .passwordNeeded: "Veuillez saisir un mot de passe pour confirmer cette adresse e-mail."
        case .phoneCountryNotAllowed: "Nous ne pouvons pas envoyer de codes aux numéros de ce pays."
        case .providerAlreadyLinked: "Ce moyen de connexion est déjà associé à votre compte."
        case .providerCancelled: "La connexion a été annulée."
        case .providerRevoked:
            "Le lien avec ce fournisseur a été retiré. Veuillez vous y reconnecter."
        case .providerUnavailable:
            "Le fournisseur est injoignable. Veuillez réessayer ou utiliser un autre moyen."
        case .refreshTokenReplayed:
            "Votre session a servi deux fois et a été fermée. Veuillez vous connecter."
        case .requiresRecentLogin: "Veuillez confirmer à nouveau que c’est bien vous."
        case .secondProofRequired: "Veuillez confirmer par un second moyen que c’est bien vous."
        case .sessionEnded: "Votre session est terminée. Veuillez vous connecter."
        case .sessionNotFound: "Cette session est introuvable."
        case .tooManyRequests: "Trop de tentatives. Veuillez patienter avant de réessayer."
        case .underageUser: "Vous n’avez pas l’âge requis pour avoir un compte."
        case .weakPassword: "Veuillez choisir un mot de passe plus sûr."
        case .cancelled: "La demande a été annulée."
        case .deadlineExceeded: "Cela a pris trop de temps. Veuillez réessayer."
        case .internalError: "Une erreur s’est produite de notre côté. Veuillez réessayer."
        case .invalidArgument: "Cette demande n’est pas valide."
        case .notFound: "Cet élément est introuvable."
        case .permissionDenied: "Cela n’est pas autorisé."
        case .resourceExhausted: "Nous sommes très sollicités. Veuillez réessayer dans un instant."
        case .unauthenticated: "L’origine de cette demande n’est pas connue."
        case .unavailable: "Nous sommes actuellement injoignables. Veuillez réessayer."
        case .unknownMethod: "Cela n’est pas disponible ici."
        }
    }
}
