/// Every error that a caller can see: its stable code, gRPC status, the sentence a person
/// reads, whether the same call may work later, and what to do next. To add one: a case here, its
/// entry below, and a line where it is thrown; codes are never renamed.
package enum ErrorCode: String, CaseIterable, Sendable {
    case accountDisabled = "auth/user-disabled"
    case alreadySignedIn = "auth/already-signed-in"
    case deviceKeyRequired = "auth/device-key-required"
    case deviceMismatch = "auth/device-mismatch"
    case deviceProofRequired = "auth/device-proof-required"
    case deviceProofStale = "auth/device-proof-stale"
    case emailAlreadyInUse = "auth/email-already-in-use"
    case idempotencyKeyReused = "auth/idempotency-key-reused"
    case invalidAccessToken = "auth/invalid-access-token"
    case invalidCredential = "auth/invalid-credential"
    case invalidDeviceKey = "auth/invalid-device-key"
    case invalidDeviceProof = "auth/invalid-device-proof"
    case invalidEmail = "auth/invalid-email"
    case invalidLink = "auth/invalid-link"
    case invalidRefreshToken = "auth/invalid-refresh-token"
    case invalidSignInProof = "auth/invalid-sign-in-proof"
    case passwordNeeded = "auth/password-needed"
    case refreshTokenReplayed = "auth/refresh-token-replayed"
    case requiresRecentLogin = "auth/requires-recent-login"
    case sessionEnded = "auth/session-ended"
    case sessionNotFound = "auth/session-not-found"
    case tooManyRequests = "auth/too-many-requests"
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

    /// What the catalogue says of this code.
    package var entry: ErrorEntry {
        switch self {
        case .accountDisabled:
            ErrorEntry(
                .permissionDenied, "This account has been disabled. Please contact support.",
                next: .contactSupport)
        case .alreadySignedIn:
            ErrorEntry(
                .failedPrecondition, "You are already signed in. Sign out first.", next: .signOut)
        case .deviceKeyRequired:
            ErrorEntry(
                .failedPrecondition, "This app must be updated before you can sign in.",
                next: .correct)
        case .deviceMismatch:
            ErrorEntry(
                .unauthenticated, "This sign-in belongs to another device. Please sign in.",
                next: .signIn)
        case .deviceProofRequired:
            ErrorEntry(
                .unauthenticated, "This device has to prove itself. Please try again.",
                next: .refresh)
        case .deviceProofStale:
            ErrorEntry(
                .unauthenticated, "This device's clock is wrong. Please try again.",
                next: .refresh)
        case .emailAlreadyInUse:
            ErrorEntry(
                .alreadyExists, "An account with this email already exists. Please sign in.",
                next: .signIn)
        case .idempotencyKeyReused:
            ErrorEntry(
                .failedPrecondition,
                "This request was already used for something else. Please start again.",
                next: .startAgain)
        case .invalidAccessToken:
            ErrorEntry(.unauthenticated, "Please sign in again.", next: .refresh)
        case .invalidCredential:
            ErrorEntry(
                .unauthenticated, "The email or the password is not right.", next: .tryAgain)
        case .invalidDeviceKey:
            ErrorEntry(
                .invalidArgument, "This device could not be registered. Please try again.",
                next: .correct)
        case .invalidDeviceProof:
            ErrorEntry(
                .unauthenticated, "This device could not prove itself. Please try again.",
                next: .refresh)
        case .invalidEmail:
            ErrorEntry(.invalidArgument, "Please enter a valid email address.", next: .correct)
        case .invalidLink:
            ErrorEntry(
                .failedPrecondition, "This link has expired or was already used.",
                next: .requestNew)
        case .invalidRefreshToken:
            ErrorEntry(.unauthenticated, "Please sign in again.", next: .signIn)
        case .invalidSignInProof:
            ErrorEntry(.unauthenticated, "Please sign in again.", next: .signIn)
        case .passwordNeeded:
            ErrorEntry(
                .failedPrecondition, "Enter a password to confirm this email address.",
                next: .enterPassword)
        case .refreshTokenReplayed:
            ErrorEntry(
                .unauthenticated,
                "You have been signed out because this sign-in was used twice. Please sign in.",
                next: .signIn)
        case .requiresRecentLogin:
            ErrorEntry(
                .failedPrecondition, "Please prove again that it is you.",
                next: .reauthenticate)
        case .sessionEnded:
            ErrorEntry(.unauthenticated, "Your session has ended. Please sign in.", next: .signIn)
        case .sessionNotFound:
            ErrorEntry(.notFound, "This session was not found.", next: .correct)
        case .tooManyRequests:
            ErrorEntry(
                .resourceExhausted, "Too many attempts. Please wait before trying again.",
                isRetryable: true, next: .wait)
        case .weakPassword:
            ErrorEntry(.invalidArgument, "Please choose a stronger password.", next: .correct)
        case .cancelled:
            ErrorEntry(.cancelled, "The request was cancelled.", next: .tryAgain)
        case .deadlineExceeded:
            ErrorEntry(
                .deadlineExceeded, "This took too long. Please try again.", isRetryable: true,
                next: .tryAgain)
        case .internalError:
            ErrorEntry(
                .internal, "Something went wrong on our side. Please try again.", next: .tryAgain)
        case .invalidArgument:
            ErrorEntry(.invalidArgument, "This request is not valid.", next: .correct)
        case .notFound:
            ErrorEntry(.notFound, "This was not found.", next: .correct)
        case .permissionDenied:
            ErrorEntry(.permissionDenied, "This is not allowed.", next: .contactSupport)
        case .resourceExhausted:
            ErrorEntry(
                .resourceExhausted, "We are busy. Please try again shortly.", isRetryable: true,
                next: .wait)
        case .unauthenticated:
            ErrorEntry(.unauthenticated, "The caller is not known.", next: .contactSupport)
        case .unavailable:
            ErrorEntry(
                .unavailable, "We cannot be reached right now. Please try again.",
                isRetryable: true, next: .tryAgain)
        case .unknownMethod:
            ErrorEntry(.unimplemented, "This is not available here.", next: .correct)
        }
    }
}

/// One entry of the catalogue.
package struct ErrorEntry: Sendable {
    /// The gRPC status that goes with it.
    package let status: StatusCode
    /// What a person reads; says nothing that only an account's owner may know.
    package let sentence: String
    /// Whether the same call may work later, unchanged.
    package let isRetryable: Bool
    /// What the caller's screen should offer.
    package let next: NextAction

    init(
        _ status: StatusCode, _ sentence: String, isRetryable: Bool = false, next: NextAction
    ) {
        self.status = status
        self.sentence = sentence
        self.isRetryable = isRetryable
        self.next = next
    }
}

/// What a person can do about an error; travels as its raw value.
package enum NextAction: String, Sendable {
    /// Ask the operator of the app.
    case contactSupport = "contact-support"
    /// Change what was entered.
    case correct
    /// Ask for the account's password.
    case enterPassword = "enter-password"
    /// Ask for one of the proofs that the error's fields name (the password), hand it to
    /// Reauthenticate, and try again; where they name none, sign in anew.
    case reauthenticate
    /// Exchange the refresh token for a new access token.
    case refresh
    /// Ask for a new link or code.
    case requestNew = "request-new"
    /// Go to the sign-in screen.
    case signIn = "sign-in"
    /// Sign out first.
    case signOut = "sign-out"
    /// Begin the flow anew, with a new idempotency key.
    case startAgain = "start-again"
    /// The same again.
    case tryAgain = "try-again"
    /// The same again, after `retry_after_ms`.
    case wait
}
