/// What a limit counts: one state for each. How each is canonicalised before it is hashed is in
/// `RateLimitService/SubjectKeys/CanonicalSubject.swift`.
package enum LimitSubject: CaseIterable, Sendable {
    /// All attempts together.
    case all
    /// What one household has: an address, IPv6 by /64.
    case address
    /// A device there: `ADDRESS|DEVICE`.
    case deviceAtAddress
    /// What one customer has: an address, IPv6 by /48.
    case site
    /// The same, counted for IPv6 only.
    case siteIPv6
    /// What one customer is likely to have in one range, IPv6 by /48 and IPv4 by /24. It
    /// distinguishes one attacker from many; it must not be used to refuse the attacker's
    /// neighbours.
    case network
    /// An email as the identity service normalises it.
    case email
    /// The same at a site: `ADDRESS|EMAIL`.
    case emailAtSite
    /// An account's id there: `ADDRESS|ACCOUNT`.
    case accountAtSite
    /// An account's id.
    case account
    /// An account's id, and the kind of first proof: `ACCOUNT|PROOF` (`TOTPLane`).
    case accountAndProof
    /// An account's id, or its email where the caller proves the account by its password.
    case accountOrEmail
    /// A phone number (E.164).
    case phoneNumber
    /// Its block of a thousand.
    case phoneBlock
    /// Its country.
    case phoneCountry
    /// A number, and the request for a code to it.
    case codeRequest
    /// An email, account or number, and a device that it knows (`TrustedLane`).
    case knownDevice
    /// The email, account or number whose known devices they are.
    case owner
    /// An application that asserts no addresses.
    case application
    /// A backend, by the name of its application.
    case backend
    /// An app of the web service.
    case app

    /// The subject in a table for people.
    package var text: String {
        switch self {
        case .all: "all"
        case .address: "address, IPv6 /64"
        case .deviceAtAddress: "device at an address"
        case .site: "address, IPv6 /48"
        case .siteIPv6: "IPv6 /48"
        case .network: "IPv6 /48, IPv4 /24"
        case .email: "email"
        case .emailAtSite: "email at an address"
        case .accountAtSite: "account at an address"
        case .account: "account"
        case .accountAndProof: "account and first proof"
        case .accountOrEmail: "account, or email with its password"
        case .phoneNumber: "number"
        case .phoneBlock: "a thousand numbers"
        case .phoneCountry: "country"
        case .codeRequest: "request for a code"
        case .knownDevice: "email, account or number, and known device"
        case .owner: "email, account or number"
        case .application: "application without addresses"
        case .backend: "backend"
        case .app: "app of the web service"
        }
    }
}
