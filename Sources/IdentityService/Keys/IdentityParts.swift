import Cryptography
import Logging
import ServiceRuntime
import Storage

/// The dependencies that every flow of identity shares.
struct IdentityParts: Sendable {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordHashPool
    let slots: ResponseTimeFloor
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    /// Whether providers' codes are exchanged: the operator has configured Apple's key (G-05).
    let keepsGrants: Bool
}
