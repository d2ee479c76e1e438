import Addresses
import Cryptography
import ServiceRuntime

/// All rows of an imported account, sealed before the transaction, which then only writes.
struct ImportedAccount: Sendable {
    let account: AccountID
    let lookUpKey: [UInt8]
    let sealedExternalID: [UInt8]
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    let sealedPhotoURL: [UInt8]?
    let language: String
    let status: AccountStatus
    let createdAt: Timestamp
    let lastSignInAt: Timestamp?
    let address: NewAddress?
    let sealedHash: [UInt8]?
    /// The scheme of the hash; nil if it is ours.
    let scheme: String?
    let sealedClaims: [UInt8]?
    let phone: NewIdentity?
    let identities: [NewIdentity]
    let altered: [String]

    /// Draws the row keys and seals the candidate's data.
    init(_ candidate: ImportCandidate, _ keys: ImportKeys, _ parts: IdentityParts) throws {
        let account = try AccountID(stored: keys.next())
        let vault = try AccountVault(
            new: account, under: parts.keys.accounts, randomness: parts.randomness)
        func identity(_ proved: ProvedIdentity) throws -> NewIdentity {
            try NewIdentity(proved, of: account, key: keys.next(), vault, parts)
        }
        self.account = account
        lookUpKey = parts.keys.lookUpKey(of: candidate.imported)
        sealedExternalID = try vault.seal(candidate.imported.text, .externalID)
        sealedKey = vault.sealedKey
        sealedDisplayName = try vault.seal(candidate.displayName, .displayName)
        sealedPhotoURL =
            candidate.photoURL.isEmpty ? nil : try vault.seal(candidate.photoURL, .photoURL)
        language = candidate.language
        status = candidate.status
        createdAt = candidate.createdAt
        lastSignInAt = candidate.lastSignInAt
        address = try candidate.address.map { address in
            NewAddress(
                lookUpKey: parts.keys.lookUpKey(of: address),
                sealed: try vault.seal(address.entered, .address),
                isProved: candidate.isAddressProved)
        }
        sealedHash = try candidate.password.map { try vault.seal($0.text, .passwordHash) }
        scheme = try candidate.password.flatMap { try parts.passwords.scheme(of: $0)?.name }
        sealedClaims =
            candidate.customClaims.isEmpty
            ? nil : try vault.seal(candidate.customClaims, .customClaims)
        phone = try candidate.phone.map(identity)
        identities = try candidate.identities.map(identity)
        altered = candidate.altered
    }
}
