/// Every error that a caller can see: its stable code, its gRPC status, the sentence for the
/// user, whether the same call may succeed later, and what to do next. To add one: a case here, its
/// entry below, its sentence in each language of `Wording`, and the code that throws it. Codes are
/// never renamed. `README.md` beside this file maps Firebase's codes to these.
package enum ErrorCode: String, CaseIterable, Sendable {
    case accountDisabled = "auth/user-disabled"
    case alreadySignedIn = "auth/already-signed-in"
    case appleCancelled = "auth/apple-cancelled"
    case codeExpired = "auth/code-expired"
    case credentialAlreadyInUse = "auth/credential-already-in-use"
    case deviceKeyRequired = "auth/device-key-required"
    case deviceMismatch = "auth/device-mismatch"
    case deviceProofRequired = "auth/device-proof-required"
    case deviceProofStale = "auth/device-proof-stale"
    case emailAlreadyInUse = "auth/email-already-in-use"
    case emailNotVerified = "auth/email-not-verified"
    case googleCancelled = "auth/google-cancelled"
    case idempotencyKeyReused = "auth/idempotency-key-reused"
    case invalidAccessToken = "auth/invalid-access-token"
    case invalidChoice = "auth/invalid-choice"
    case invalidCode = "auth/invalid-verification-code"
    case invalidCredential = "auth/invalid-credential"
    case invalidDeviceKey = "auth/invalid-device-key"
    case invalidDeviceProof = "auth/invalid-device-proof"
    case invalidEmail = "auth/invalid-email"
    case invalidLink = "auth/invalid-link"
    case invalidNonce = "auth/missing-or-invalid-nonce"
    case invalidPhoneNumber = "auth/invalid-phone-number"
    case invalidProviderToken = "auth/invalid-provider-token"
    case invalidRefreshToken = "auth/invalid-refresh-token"
    case invalidSignInProof = "auth/invalid-sign-in-proof"
    case lastMethod = "auth/last-sign-in-method"
    case methodNotLinked = "auth/no-such-provider"
    case operationNotAllowed = "auth/operation-not-allowed"
    case parentalConsentRequired = "auth/parental-consent-required"
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
        case .accountDisabled:
            Entry(
                .permissionDenied, "This account has been disabled. Please contact support.",
                next: .contactSupport)
        case .alreadySignedIn:
            Entry(.failedPrecondition, "You are already signed in. Sign out first.", next: .signOut)
        case .appleCancelled:
            Entry(.cancelled, "Sign-in with Apple was cancelled.", next: .tryAgain)
        case .codeExpired:
            Entry(
                .failedPrecondition, "This code has expired. Please request a new one.",
                next: .requestNew)
        case .credentialAlreadyInUse:
            Entry(
                .alreadyExists, "This sign-in method already belongs to another account.",
                next: .signIn)
        case .deviceKeyRequired:
            Entry(
                .failedPrecondition, "This app must be updated before you can sign in.",
                next: .correct)
        case .deviceMismatch:
            Entry(
                .unauthenticated, "This sign-in belongs to another device. Please sign in.",
                next: .signIn)
        case .deviceProofRequired:
            Entry(
                .unauthenticated, "This device has to prove itself. Please try again.",
                next: .refresh)
        case .deviceProofStale:
            Entry(
                .unauthenticated, "This device's clock is wrong. Please try again.",
                next: .refresh)
        case .emailAlreadyInUse:
            Entry(
                .alreadyExists, "An account with this email already exists. Please sign in.",
                next: .signIn)
        case .emailNotVerified:
            Entry(
                .failedPrecondition, "Please confirm your email address first.",
                next: .verifyEmail)
        case .googleCancelled:
            Entry(.cancelled, "Sign-in with Google was cancelled.", next: .tryAgain)
        case .idempotencyKeyReused:
            Entry(
                .failedPrecondition,
                "This request was already used for something else. Please start again.",
                next: .startAgain)
        case .invalidAccessToken:
            Entry(.unauthenticated, "Please sign in again.", next: .refresh)
        case .invalidChoice:
            Entry(.failedPrecondition, "There is nothing to choose any more.", next: .startAgain)
        case .invalidCode:
            Entry(.unauthenticated, "This code is not right. Please check it.", next: .correct)
        case .invalidCredential:
            Entry(
                .unauthenticated, "The email or the password is not right.",
                next: .resetPassword)
        case .invalidDeviceKey:
            Entry(
                .invalidArgument, "This device could not be registered. Please try again.",
                next: .correct)
        case .invalidDeviceProof:
            Entry(
                .unauthenticated, "This device could not prove itself. Please try again.",
                next: .refresh)
        case .invalidEmail:
            Entry(.invalidArgument, "Please enter a valid email address.", next: .correct)
        case .invalidLink:
            Entry(
                .failedPrecondition, "This link has expired or was already used.",
                next: .requestNew)
        case .invalidNonce:
            Entry(
                .failedPrecondition, "This sign-in took too long. Please try again.",
                next: .startAgain)
        case .invalidPhoneNumber:
            Entry(
                .invalidArgument, "Please enter a valid phone number with its country code.",
                next: .correct)
        case .invalidProviderToken:
            Entry(.unauthenticated, "Sign-in failed, please try again.", next: .startAgain)
        case .invalidRefreshToken:
            Entry(.unauthenticated, "Please sign in again.", next: .signIn)
        case .invalidSignInProof:
            Entry(.unauthenticated, "Please sign in again.", next: .signIn)
        case .lastMethod:
            Entry(
                .failedPrecondition,
                "This is the only way to sign in to this account. Add another one first.",
                next: .addMethod)
        case .methodNotLinked:
            Entry(.failedPrecondition, "This account has no such sign-in method.", next: .correct)
        case .operationNotAllowed:
            Entry(
                .failedPrecondition, "This way of signing in is not available here.",
                next: .correct)
        case .parentalConsentRequired:
            Entry(.failedPrecondition, "A parent or guardian has to agree first.", next: .askParent)
        case .passwordNeeded:
            Entry(
                .failedPrecondition, "Enter a password to confirm this email address.",
                next: .enterPassword)
        case .phoneCountryNotAllowed:
            Entry(
                .failedPrecondition, "We cannot send codes to numbers of this country.",
                next: .correct)
        case .providerAlreadyLinked:
            Entry(
                .alreadyExists, "This sign-in method is already linked to your account.",
                next: .correct)
        case .providerCancelled:
            Entry(.cancelled, "Sign-in was cancelled.", next: .tryAgain)
        case .providerRevoked:
            Entry(
                .unauthenticated,
                "The connection to this provider was removed. Please sign in with it again.",
                next: .signIn)
        case .providerUnavailable:
            Entry(
                .unavailable,
                "The provider cannot be reached right now. Please try again or use another way.",
                isRetryable: true, next: .tryAgain)
        case .refreshTokenReplayed:
            Entry(
                .unauthenticated,
                "You have been signed out because this sign-in was used twice. Please sign in.",
                next: .signIn)
        case .requiresRecentLogin:
            Entry(.failedPrecondition, "Please prove again that it is you.", next: .reauthenticate)
        case .secondProofRequired:
            Entry(
                .failedPrecondition, "Please prove in a second way that it is you.",
                next: .reauthenticate)
        case .sessionEnded:
            Entry(.unauthenticated, "Your session has ended. Please sign in.", next: .signIn)
        case .sessionNotFound:
            Entry(.notFound, "This session was not found.", next: .correct)
        case .tooManyRequests:
            Entry(
                .resourceExhausted, "Too many attempts. Please wait before trying again.",
                isRetryable: true, next: .wait)
        case .underageUser:
            Entry(
                .permissionDenied, "You are not old enough to have an account.",
                next: .contactSupport)
        case .weakPassword:
            Entry(.invalidArgument, "Please choose a stronger password.", next: .correct)
        case .cancelled:
            Entry(.cancelled, "The request was cancelled.", next: .tryAgain)
        case .deadlineExceeded:
            Entry(
                .deadlineExceeded, "This took too long. Please try again.", isRetryable: true,
                next: .tryAgain)
        case .internalError:
            Entry(.internal, "Something went wrong on our side. Please try again.", next: .tryAgain)
        case .invalidArgument:
            Entry(.invalidArgument, "This request is not valid.", next: .correct)
        case .notFound:
            Entry(.notFound, "This was not found.", next: .correct)
        case .permissionDenied:
            Entry(.permissionDenied, "This is not allowed.", next: .contactSupport)
        case .resourceExhausted:
            Entry(
                .resourceExhausted, "We are busy. Please try again shortly.", isRetryable: true,
                next: .wait)
        case .unauthenticated:
            Entry(.unauthenticated, "The caller is not known.", next: .contactSupport)
        case .unavailable:
            Entry(
                .unavailable, "We cannot be reached right now. Please try again.",
                isRetryable: true, next: .tryAgain)
        case .unknownMethod:
            Entry(.unimplemented, "This is not available here.", next: .correct)
        }
    }
}

extension ErrorCode {
    /// One entry of the catalogue.
    package struct Entry: Sendable {
        /// The gRPC status of this code.
        package let status: StatusCode
        /// The sentence for the user, in English. It reveals nothing that only an account's owner
        /// may know.
        package let sentence: String
        /// Whether the same call, unchanged, may succeed later.
        package let isRetryable: Bool
        /// The action that the caller's screen should offer.
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
        /// Go to the sign-in screen.
        case signIn = "sign-in"
        /// Sign out first.
        case signOut = "sign-out"
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
