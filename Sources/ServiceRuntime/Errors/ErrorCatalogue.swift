/// Every error that a caller can see: its stable code, its gRPC status, the sentence for the
/// user, whether the same call may succeed later, and what to do next. To add one: a case here, its
/// entry below, its sentence in each language of `Wording`, and the code that throws it. Codes are
/// never renamed. `README.md` beside this file maps Firebase's codes to these.
package enum ErrorCode: String, CaseIterable, Sendable {
    case accountDisabled = "auth/user-disabled"
    case accountRequired = "auth/account-required"
    case alreadySignedIn = "auth/already-signed-in"
    case appleCancelled = "auth/apple-cancelled"
    case codeExpired = "auth/code-expired"
    case consentRequired = "auth/consent-required"
    case credentialAlreadyInUse = "auth/credential-already-in-use"
    case deviceKeyRequired = "auth/device-key-required"
    case deviceMismatch = "auth/device-mismatch"
    case deviceProofRequired = "auth/device-proof-required"
    case deviceProofStale = "auth/device-proof-stale"
    case documentConflict = "auth/document-conflict"
    case documentQuota = "auth/document-quota"
    case emailAlreadyInUse = "auth/email-already-in-use"
    case emailNotVerified = "auth/email-not-verified"
    case googleCancelled = "auth/google-cancelled"
    case idempotencyKeyReused = "auth/idempotency-key-reused"
    case invalidAccessToken = "auth/invalid-access-token"
    case invalidChallenge = "auth/invalid-challenge"
    case invalidChoice = "auth/invalid-choice"
    case invalidCode = "auth/invalid-verification-code"
    case invalidConfirmation = "auth/invalid-confirmation"
    case invalidCredential = "auth/invalid-credential"
    case invalidDeviceKey = "auth/invalid-device-key"
    case invalidDeviceProof = "auth/invalid-device-proof"
    case invalidDocument = "auth/invalid-document"
    case invalidEmail = "auth/invalid-email"
    case invalidLink = "auth/invalid-link"
    case invalidNonce = "auth/missing-or-invalid-nonce"
    case invalidPasskey = "auth/invalid-passkey"
    case invalidPhoneNumber = "auth/invalid-phone-number"
    case invalidPhoto = "auth/invalid-photo"
    case invalidProviderToken = "auth/invalid-provider-token"
    case invalidRefreshToken = "auth/invalid-refresh-token"
    case invalidSignInProof = "auth/invalid-sign-in-proof"
    case lastMethod = "auth/last-sign-in-method"
    case lastSecondFactor = "auth/last-second-factor"
    case maximumSecondFactorCountExceeded = "auth/maximum-second-factor-count-exceeded"
    case methodNotLinked = "auth/no-such-provider"
    case operationNotAllowed = "auth/operation-not-allowed"
    case parentalConsentRequired = "auth/parental-consent-required"
    case passkeyQuota = "auth/passkey-quota"
    case passwordNeeded = "auth/password-needed"
    case phoneCountryNotAllowed = "auth/phone-country-not-allowed"
    case providerAlreadyLinked = "auth/provider-already-linked"
    case providerCancelled = "auth/provider-cancelled"
    case providerRevoked = "auth/provider-revoked"
    case providerUnavailable = "auth/provider-unavailable"
    case refreshTokenReplayed = "auth/refresh-token-replayed"
    case requiresRecentLogin = "auth/requires-recent-login"
    case secondProofRequired = "auth/second-proof-required"
    case sessionEnded = "auth/session-ended"
    case sessionNotFound = "auth/session-not-found"
    case tooManyRequests = "auth/too-many-requests"
    case underageUser = "auth/underage-user"
    case unknownPasskey = "auth/unknown-passkey"
    case weakPassword = "auth/weak-password"

    case cancelled = "rpc/cancelled"
    case deadlineExceeded = "rpc/deadline-exceeded"
    case internalError = "rpc/internal"
    case invalidArgument = "rpc/invalid-argument"
    case notFound = "rpc/not-found"
    case permissionDenied = "rpc/permission-denied"
    case resourceExhausted = "rpc/resource-exhausted"
    case unauthenticated = "rpc/unauthenticated"
    case unavailable = "rpc/unavailable"
    case unknownMethod = "rpc/unknown-method"

    /// The catalogue's entry for this code.
    package var entry: Entry {
        switch self {
        case .accountDisabled: Entry(.permissionDenied, next: .contactSupport)
        case .accountRequired: Entry(.failedPrecondition, next: .signUp)
        case .alreadySignedIn: Entry(.failedPrecondition, next: .signOut)
        case .appleCancelled: Entry(.cancelled, next: .tryAgain)
        case .codeExpired: Entry(.failedPrecondition, next: .requestNew)
        case .consentRequired: Entry(.failedPrecondition, next: .correct)
        case .credentialAlreadyInUse: Entry(.alreadyExists, next: .signIn)
        case .deviceKeyRequired: Entry(.failedPrecondition, next: .correct)
        case .deviceMismatch: Entry(.unauthenticated, next: .signIn)
        case .deviceProofRequired, .deviceProofStale: Entry(.unauthenticated, next: .refresh)
        case .documentConflict: Entry(.aborted, next: .startAgain)
        case .documentQuota: Entry(.resourceExhausted, next: .correct)
        case .emailAlreadyInUse: Entry(.alreadyExists, next: .signIn)
        case .emailNotVerified: Entry(.failedPrecondition, next: .verifyEmail)
        case .googleCancelled: Entry(.cancelled, next: .tryAgain)
        case .idempotencyKeyReused: Entry(.failedPrecondition, next: .startAgain)
        case .invalidAccessToken: Entry(.unauthenticated, next: .refresh)
        case .invalidChallenge: Entry(.failedPrecondition, next: .startAgain)
        case .invalidChoice: Entry(.failedPrecondition, next: .correct)
        case .invalidCode: Entry(.unauthenticated, next: .correct)
        case .invalidConfirmation: Entry(.failedPrecondition, next: .startAgain)
        case .invalidCredential: Entry(.unauthenticated, next: .resetPassword)
        case .invalidDeviceKey: Entry(.invalidArgument, next: .correct)
        case .invalidDeviceProof: Entry(.unauthenticated, next: .refresh)
        case .invalidDocument, .invalidEmail: Entry(.invalidArgument, next: .correct)
        case .invalidLink: Entry(.failedPrecondition, next: .requestNew)
        case .invalidNonce: Entry(.failedPrecondition, next: .startAgain)
        case .invalidPasskey: Entry(.unauthenticated, next: .tryAgain)
        case .invalidPhoneNumber: Entry(.invalidArgument, next: .correct)
        case .invalidPhoto: Entry(.invalidArgument, next: .correct)
        case .invalidProviderToken: Entry(.unauthenticated, next: .startAgain)
        case .invalidRefreshToken: Entry(.unauthenticated, next: .signIn)
        case .invalidSignInProof: Entry(.unauthenticated, next: .signIn)
        case .lastMethod: Entry(.failedPrecondition, next: .addMethod)
        case .lastSecondFactor, .maximumSecondFactorCountExceeded:
            Entry(.failedPrecondition, next: .correct)
        case .methodNotLinked: Entry(.failedPrecondition, next: .correct)
        case .operationNotAllowed: Entry(.failedPrecondition, next: .correct)
        case .parentalConsentRequired: Entry(.failedPrecondition, next: .askParent)
        case .passkeyQuota: Entry(.failedPrecondition, next: .correct)
        case .passwordNeeded: Entry(.failedPrecondition, next: .enterPassword)
        case .phoneCountryNotAllowed: Entry(.failedPrecondition, next: .correct)
        case .providerAlreadyLinked: Entry(.alreadyExists, next: .correct)
        case .providerCancelled: Entry(.cancelled, next: .tryAgain)
        case .providerRevoked: Entry(.unauthenticated, next: .signIn)
        case .providerUnavailable: Entry(.unavailable, isRetryable: true, next: .tryAgain)
        case .refreshTokenReplayed: Entry(.unauthenticated, next: .signIn)
        case .requiresRecentLogin: Entry(.failedPrecondition, next: .reauthenticate)
        case .secondProofRequired: Entry(.failedPrecondition, next: .secondProof)
        case .sessionEnded: Entry(.unauthenticated, next: .signIn)
        case .sessionNotFound: Entry(.notFound, next: .correct)
        case .tooManyRequests: Entry(.resourceExhausted, isRetryable: true, next: .wait)
        case .underageUser: Entry(.permissionDenied, next: .contactSupport)
        case .unknownPasskey: Entry(.unauthenticated, next: .tryAgain)
        case .weakPassword: Entry(.invalidArgument, next: .correct)
        case .cancelled: Entry(.cancelled, next: .tryAgain)
        case .deadlineExceeded: Entry(.deadlineExceeded, isRetryable: true, next: .tryAgain)
        case .internalError: Entry(.internal, next: .tryAgain)
        case .invalidArgument: Entry(.invalidArgument, next: .correct)
        case .notFound: Entry(.notFound, next: .correct)
        case .permissionDenied: Entry(.permissionDenied, next: .contactSupport)
        case .resourceExhausted: Entry(.resourceExhausted, isRetryable: true, next: .wait)
        case .unauthenticated: Entry(.unauthenticated, next: .contactSupport)
        case .unavailable: Entry(.unavailable, isRetryable: true, next: .tryAgain)
        case .unknownMethod: Entry(.unimplemented, next: .correct)
        }
    }
}

extension ErrorCode {
    /// One entry of the catalogue.
    package struct Entry: Sendable {
        /// The gRPC status of this code.
        package let status: StatusCode
        /// Whether the same call, unchanged, may succeed later.
        package let isRetryable: Bool
        /// The action that the caller's screen should offer.
        package let next: NextAction

        init(_ status: StatusCode, isRetryable: Bool = false, next: NextAction) {
            self.status = status
            self.isRetryable = isRetryable
            self.next = next
        }
    }

    /// What a user can do about an error. The raw value is sent on the wire.
    package enum NextAction: String, Sendable {
        /// Add another sign-in method first.
        case addMethod = "add-method"
        /// Have a parent or guardian agree.
        case askParent = "ask-parent"
        /// Contact the operator of the app.
        case contactSupport = "contact-support"
        /// Correct what was entered.
        case correct
        /// Ask for the account's password.
        case enterPassword = "enter-password"
        /// Ask for one of the error's acceptable proofs (the password), pass it to
        /// `Reauthenticate`, and try again. Where there is none, sign in again.
        case reauthenticate
        /// Exchange the refresh token for a new access token.
        case refresh
        /// Ask for a new link or code.
        case requestNew = "request-new"
        /// Let the user try again, and offer to reset the password.
        case resetPassword = "reset-password"
        /// Ask for one of the proofs that the error's second proof names, and pass it to
        /// `CompleteSignIn`.
        case secondProof = "second-proof"
        /// Go to the sign-in screen.
        case signIn = "sign-in"
        /// Sign out first.
        case signOut = "sign-out"
        /// Offer the ways to sign up: a guest needs an account for this.
        case signUp = "sign-up"
        /// Start the flow again, with a new idempotency key.
        case startAgain = "start-again"
        /// Repeat the same call.
        case tryAgain = "try-again"
        /// Open the link in the mail, or ask for another one.
        case verifyEmail = "verify-email"
        /// Repeat the same call after `retry_after_ms`.
        case wait
    }
}
