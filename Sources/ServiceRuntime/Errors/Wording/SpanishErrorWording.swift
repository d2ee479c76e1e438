extension ErrorCode {
    /// The catalogue's sentence in Spanish. Addresses the user as «usted».
    var spanish: String {
        switch self {
        case .accountDisabled:
            "Esta cuenta está desactivada. Póngase en contacto con el servicio de asistencia."
        case .alreadySignedIn: "Ya ha iniciado sesión. Ciérrela primero."
        case .appleCancelled: "Se canceló el inicio de sesión con Apple."
        case .codeExpired: "Este código ha caducado. Solicite uno nuevo."
        case .credentialAlreadyInUse: "Este método de acceso ya pertenece a otra cuenta."
        case .deviceKeyRequired:
            "Es necesario actualizar esta aplicación para poder iniciar sesión."
        case .deviceMismatch: "Esta sesión pertenece a otro dispositivo. Inicie sesión."
        case .deviceProofRequired: "Este dispositivo debe identificarse. Inténtelo de nuevo."
        case .deviceProofStale: "El reloj de este dispositivo no está en hora. Inténtelo de nuevo."
        case .emailAlreadyInUse: "Ya existe una cuenta con este correo electrónico. Inicie sesión."
        case .emailNotVerified: "Confirme primero su dirección de correo electrónico."
        case .googleCancelled: "Se canceló el inicio de sesión con Google."
        case .idempotencyKeyReused: "Esta solicitud ya se utilizó para otra cosa. Empiece de nuevo."
        case .invalidAccessToken: "Vuelva a iniciar sesión."
        case .invalidChoice: "Ya no queda nada que elegir."
        case .invalidCode: "Este código no es correcto. Compruébelo."
        case .invalidCredential: "El correo electrónico o la contraseña no son correctos."
        case .invalidDeviceKey: "No se pudo registrar este dispositivo. Inténtelo de nuevo."
        case .invalidDeviceProof: "Este dispositivo no pudo identificarse. Inténtelo de nuevo."
        case .invalidEmail: "Introduzca una dirección de correo electrónico válida."
        case .invalidLink: "Este enlace ha caducado o ya se ha utilizado."
        case .invalidNonce: "Este inicio de sesión ha tardado demasiado. Inténtelo de nuevo."
        case .invalidPhoneNumber: "Introduzca un número de teléfono válido con el prefijo del país."
        case .invalidProviderToken: "No se pudo iniciar sesión, inténtelo de nuevo."
        case .invalidRefreshToken: "Vuelva a iniciar sesión."
        case .invalidSignInProof: "Vuelva a iniciar sesión."
        case .lastMethod: "Es la única forma de acceder a esta cuenta. Añada primero otra."
        case .methodNotLinked: "Esta cuenta no tiene ese método de acceso."
        case .operationNotAllowed: "Esta forma de iniciar sesión no está disponible aquí."
        case .parentalConsentRequired: "Antes debe dar su consentimiento su padre, madre o tutor."
        case .passwordNeeded:
            "Introduzca una contraseña para confirmar esta dirección de correo electrónico."
        case .phoneCountryNotAllowed: "No podemos enviar códigos a números de este país."
        case .providerAlreadyLinked: "Este método de acceso ya está vinculado a su cuenta."
        case .providerCancelled: "Se canceló el inicio de sesión."
        case .providerRevoked:
            "Ya no hay conexión con este proveedor. Vuelva a iniciar sesión con él."
        case .providerUnavailable:
            "El proveedor no está disponible ahora. Inténtelo de nuevo o de otra forma."
        case .refreshTokenReplayed:
            "Se ha cerrado su sesión porque se utilizó dos veces. Inicie sesión."
        case .requiresRecentLogin: "Confirme de nuevo que es usted."
        case .secondProofRequired: "Confirme por una segunda vía que es usted."
        case .sessionEnded: "Su sesión ha terminado. Inicie sesión."
        case .sessionNotFound: "No se encontró esta sesión."
        case .tooManyRequests: "Demasiados intentos. Espere antes de volver a intentarlo."
        case .underageUser: "No tiene la edad necesaria para tener una cuenta."
        case .weakPassword: "Elija una contraseña más segura."
        case .cancelled: "La solicitud se ha cancelado."
        case .deadlineExceeded: "Ha tardado demasiado. Inténtelo de nuevo."
        case .internalError: "Se ha producido un error por nuestra parte. Inténtelo de nuevo."
        case .invalidArgument: "Esta solicitud no es válida."
        case .notFound: "No se ha encontrado."
        case .permissionDenied: "Esto no está permitido."
        case .resourceExhausted: "Estamos ocupados. Inténtelo de nuevo en unos instantes."
        case .unauthenticated: "No se conoce el origen de esta solicitud."
        case .unavailable: "No estamos disponibles en este momento. Inténtelo de nuevo."
        case .unknownMethod: "Esto no está disponible aquí."
        }
    }
}
