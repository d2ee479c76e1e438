import Addresses
package import Places
package import ServiceRuntime

/// The operator's settings of the gateway.
package struct GatewaySettings: Settings {
    /// What each flow does when the rate limiter does not answer.
    package var limiterFailures: [LimitedFlow: LimiterFailure] = [:]
    /// The origins of the web service: the audiences of backends' tokens.
    package var webOrigins = ["http://localhost:7480", "http://127.0.0.1:7480"]
    /// The languages in which errors address people formally.
    package let formalLanguages: FormalLanguages
    /// Where people's addresses are.
    package let places: Places

    package init(reading settings: inout SettingsReader) {
        for flow in LimitedFlow.allCases {
            settings.choice(
                "limiter-failure-\(flow.rawValue)",
                &limiterFailures[flow, default: flow.failure],
                reason: "What this flow does if the rate limiter does not answer (R-07).")
        }
        settings.strings(
            "web-origins", &webOrigins, unit: "URL",
            reason: "Where clients reach the web service. A backend's token must name one as its "
                + "audience, so that no token for another installation is accepted here.")
        settings.require(
            webOrigins.allSatisfy { WebOrigin(site: $0) != nil }, ["web-origins"],
            "each must be \(WebOrigin.expected)")
        formalLanguages = FormalLanguages(reading: &settings)
        places = Places(
            file: settings.optionalPath(
                "place-file",
                reason: "A MaxMind DB with countries or cities, by which sign-ins have a place "
                    + "(G-08). It is read again when it is replaced."))
        if let mistake = places.mistake { settings.require(false, ["place-file"], mistake) }
    }
}

/// What a flow does when the rate limiter does not answer.
package enum LimiterFailure: String, CaseIterable, Sendable {
    /// The flow fails with `rpc/unavailable`.
    case refuse
    /// The flow proceeds without being counted.
    case pass
}

/// A flow that charges the rate limiter, and what it does when the limiter does not answer.
/// The operator can change that.
package enum LimitedFlow: String, CaseIterable, Sendable {
    /// Proceeds: it gives no opportunity to guess.
    case signUp = "sign-up"
    /// Proceeds: a guest account holds nothing and costs a few rows.
    case guestSignUp = "guest-sign-up"
    /// Proceeds: the mail goes to the email's owner, who may have no other way to sign in. Also for
    /// links to delete an account.
    case passwordReset = "password-reset"
    /// Proceeds: a check of a new password says nothing about any account.
    case passwordCheck = "password-check"
    /// Proceeds: the mail goes to the caller's own account, or to an address with a limit of its
    /// own. Also for requests to delete the account in a session, which are mailed.
    case verificationMail = "verification-mail"
    /// Refuses: passwords could be guessed without a count.
    case passwordSignIn = "password-sign-in"
    /// Proceeds: a provider's signature cannot be guessed.
    case providerSignIn = "provider-sign-in"
    /// Proceeds: a passkey's signature cannot be guessed.
    case passkeySignIn = "passkey-sign-in"
    /// Refuses: codes could be guessed, and messages sent at our cost, without a count.
    case phoneCode = "phone-code"
    /// Proceeds: the caller's own account is bounded by its quota of documents.
    case documentWrite = "document-write"
    /// Proceeds: the caller changes its own account.
    case profileUpdate = "profile-update"
    /// Proceeds: an account has one export, and it is about the caller's own account.
    case dataExport = "data-export"
    /// Proceeds: only backends that the operator names push messages.
    case push
    /// Proceeds: only backends that the operator names manage accounts.
    case backendAccount = "backend-account"

    /// The default.
    package var failure: LimiterFailure {
        switch self {
        case .signUp, .guestSignUp, .passwordReset, .passwordCheck, .verificationMail,
            .providerSignIn, .passkeySignIn, .documentWrite, .profileUpdate, .dataExport, .push,
            .backendAccount:
            .pass
        case .passwordSignIn, .phoneCode: .refuse
        }
    }
}
