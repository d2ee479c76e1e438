/// All limits (R-01 … R-03). The raw value is the limit's name on the wire and in the operator's
/// file.
///
/// To add one:
/// 1. a case here that names its subject, and its number in the store
///    (`RateLimitService/LimitDefinition.swift`);
/// 2. its row in `RateLimitService/LimitDefinitions.swift`, and in the README there: what fills it,
///    who is refused;
/// 3. the flow that charges it: `GatewayService/Limits/LimitedAction.swift`;
/// 4. its row in `LimitNameTests`, and in `LimitedActionTests` if the gateway charges it.
///
/// Settings in the operator's file, metrics, audit events and the property tests follow
/// automatically. Numbers are never reused, because stored states contain them.
package enum LimitName: String, CaseIterable, Sendable {
    /// Failed sign-ins from one device at one address.
    case failedSignInByDevice = "failed-sign-in-by-device"
    /// Failed sign-ins from one address; IPv6 by /64.
    case failedSignInByAddress = "failed-sign-in-by-address"
    /// Failed sign-ins from one IPv6 /48, which is what one customer has.
    case failedSignInBySite = "failed-sign-in-by-site"
    /// Failed sign-ins to one account from devices that it does not know. The subject is the email,
    /// before any look-up.
    case failedSignInByAccount = "failed-sign-in-by-account"
    /// Failed sign-ins to one account from one device that it knows (`TrustedLane`).
    case failedSignInByKnownDevice = "failed-sign-in-by-known-device"
    /// Failed sign-ins in a row to one account from devices that it does not know (NIST SP
    /// 800-63B-4 §3.2.2). A success or a reset of the password starts the count over.
    case failedSignInInARow = "failed-sign-in-in-a-row"
    /// Right passwords of one account: sign-ins, recent proofs, changes of the password. Each writes
    /// rows, and only who knows the password fills it.
    case signInByAccount = "sign-in-by-account"
    /// Failed sign-ins with a provider's token, from one device at one address.
    case failedProviderByDevice = "failed-provider-by-device"
    /// The same from one address.
    case failedProviderByAddress = "failed-provider-by-address"
    /// The same in an account's own session, from devices that the account does not know. During a
    /// sign-in only the identity service knows whose token it is.
    case failedProviderByAccount = "failed-provider-by-account"
    /// The same from one device that the account knows (`TrustedLane`).
    case failedProviderByKnownDevice = "failed-provider-by-known-device"

    /// Sign-ups from one address; IPv6 by /48, which is what one customer has.
    case signUpByAddress = "sign-up-by-address"
    /// Guest accounts from one address; IPv6 by /48.
    case guestSignUpByAddress = "guest-sign-up-by-address"
    /// Sign-ups and guest accounts of one app of the web service.
    case newAccountByApp = "new-account-by-app"
    /// Sign-ups on one email from one address, or from one application without addresses. While the
    /// email is taken, each of them sends its owner a mail.
    case signUpOnTakenEmail = "sign-up-on-taken-email"
    /// Calls of an application that may assert its users' addresses and did not. All its users
    /// share one subject, so that the application notices.
    case unaddressedByApplication = "unaddressed-by-application"

    /// Codes to one phone number: escalating delays, and ten a day.
    case phoneCodeRequest = "phone-code-request"
    /// Codes requested from one address, to any numbers; IPv6 by /48.
    case phoneCodeByAddress = "phone-code-by-address"
    /// Codes to one block of a thousand numbers. Attack ("pumping"): somebody who is paid for
    /// received messages rents numbers by the block.
    case phoneCodeByBlock = "phone-code-by-block"
    /// Codes to one country, or to one area of the North American plan.
    case phoneCodeByCountry = "phone-code-by-country"
    /// Wrong codes for one phone number, from devices that it does not know.
    case phoneCodeGuess = "phone-code-guess"
    /// Wrong codes for one phone number from one device that it knows (`TrustedLane`).
    case phoneCodeGuessByKnownDevice = "phone-code-guess-by-known-device"
    /// The first guess at each new code, once `phone-code-guess` is permanently locked for the
    /// number.
    case phoneCodeFirstGuess = "phone-code-first-guess"
    /// Guesses from one address that were not right, at any codes; IPv6 by /48.
    case phoneCodeGuessByAddress = "phone-code-guess-by-address"

    /// Verification mails that one account requests.
    case verificationMailByAccount = "verification-mail-by-account"
    /// Password reset links to one email.
    case passwordResetByEmail = "password-reset-by-email"
    /// Links to delete an account, to one email.
    case deletionLinkByEmail = "deletion-link-by-email"
    /// Links to reset a password or to delete an account, requested from one address, to any
    /// emails; IPv6 by /48.
    case passwordResetByAddress = "password-reset-by-address"
    /// Mails to the parents that one account names.
    case parentalMailByAccount = "parental-mail-by-account"
    /// Mails to one email that other people cause: it is taken, or is about to become another
    /// account's.
    case mailByTarget = "mail-by-target"
    /// Checks of new passwords from one address; IPv6 by /64.
    case passwordCheckByAddress = "password-check-by-address"
    /// Changes of one account's profile.
    case profileUpdateByAccount = "profile-update-by-account"
    /// Calls that write one account's documents.
    case documentWriteByAccount = "document-write-by-account"
    /// What one account's documents cost, in units of `DocumentWork`.
    case documentWorkByAccount = "document-work-by-account"
    /// Bundles of a guest's documents that are uploaded to one account.
    case guestBundleByAccount = "guest-bundle-by-account"
    /// Exports of one account's data.
    case exportByAccount = "export-by-account"
    /// Requests to delete one account, in its own sessions.
    case deletionByAccount = "deletion-by-account"

    /// The number of failed sign-ins in all, from devices that the accounts do not know, that
    /// raises the alarm (`CredentialStuffingDetector`). This limit refuses nothing.
    case signInFailuresOverall = "sign-in-failures-overall"
    /// The attempts of one site (`SubjectSource`) that count towards the alarm. This limit refuses
    /// nothing.
    case signInFailuresBySite = "sign-in-failures-by-site"
    /// While the alarm is on: sign-ins in all from devices that the account does not know.
    case signInWithoutHistory = "sign-in-without-history"
    /// While the alarm is on: those of one site.
    case signInWithoutHistoryBySite = "sign-in-without-history-by-site"
    /// Not a limit but a mark: the account has signed in from this device (`TrustedLane`).
    case knownDevice = "known-device"
    /// New marks of one account. Marks count for long, so one account may not make many
    /// (`KnownDevices`).
    case newDeviceByAccount = "new-device-by-account"
    /// Not a limit but a mark: the devices that the account knew before it are forgotten
    /// (`KnownDevices`).
    case devicesForgotten = "devices-forgotten"

    /// Emails and numbers without a state that one site names.
    case newSubjectsBySite = "new-subjects-by-site"
    /// The same for an application that asserts no addresses.
    case newSubjectsByApplication = "new-subjects-by-application"
}
