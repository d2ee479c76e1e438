import Addresses
import Contracts
import Cryptography
import IdentityService
import JSON
import ServiceRuntime
import Synchronization

/// All rows of an imported account, sealed before the transaction, which then only writes.
struct ImportedAccount: Sendable {
    let account: AccountID
    let lookUpKey: [UInt8]
    let sealedExternalID: [UInt8]
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    let isNamed: Bool
    let sealedPhotoURL: [UInt8]?
    let language: String
    let status: AccountStatus
    let createdAt: Timestamp
    let lastSignInAt: Timestamp?
    /// The account has completed the app's onboarding.
    let isOnboarded: Bool
    /// What the person has agreed to.
    let acceptance: Acceptance
    let address: NewAddress?
    let sealedHash: [UInt8]?
    /// The scheme of the hash; nil if it is ours.
    let scheme: String?
    /// Nil for none.
    let claims: StoredClaims?
    let phone: NewIdentity?
    /// The look-up keys under which an account may have the number: its own, and those of its
    /// former texts.
    let phoneKeys: [[UInt8]]
    let identities: [NewIdentity]
    let factors: [NewSecondFactor]
    let passkeys: [(stored: NewStoredPasskey, addedAt: Timestamp?)]
    let altered: [String]

    /// Draws the row keys and seals the candidate's data.
    init(
        _ candidate: ImportCandidate, _ rowKeys: ImportedAccount.RowKeys, writer: AccountWriter,
        passwords: PasswordHashPool
    ) throws {
        let account = try AccountID(stored: rowKeys.next())
        let keys = writer.keys
        let vault = try writer.newVault(of: account)
        func identity(_ proved: ProvedIdentity) throws -> NewIdentity {
            try NewIdentity(proved, of: account, key: rowKeys.next(), vault, keys)
        }
        self.account = account
        lookUpKey = keys.lookUpKey(of: candidate.imported)
        sealedExternalID = try vault.seal(candidate.imported.text, .externalID)
        sealedKey = vault.sealedKey
        sealedDisplayName = try vault.seal(candidate.displayName, .displayName)
        isNamed = !candidate.displayName.isEmpty
        sealedPhotoURL =
            candidate.photoURL.isEmpty ? nil : try vault.seal(candidate.photoURL, .photoURL)
        language = candidate.language
        status = candidate.status
        createdAt = candidate.createdAt
        lastSignInAt = candidate.lastSignInAt
        isOnboarded = candidate.isOnboarded
        acceptance = candidate.acceptance
        address = try candidate.address.map { address in
            try NewAddress(address, isProved: candidate.isAddressProved, vault, keys)
        }
        sealedHash = try candidate.password.map { try vault.seal($0.text, .passwordHash) }
        scheme = try candidate.password.flatMap { try passwords.scheme(of: $0)?.name }
        // Its first sign-in takes them to session.
        claims =
            candidate.claims.isEmpty
            ? nil : try StoredClaims(candidate.claims, version: 1, in: vault)
        phone = try candidate.phone.map { try identity(PhoneIdentity.proved($0.text)) }
        phoneKeys =
            candidate.phone.map { number in
                ([number.text] + number.formerTexts).map {
                    keys.lookUpKey(of: PhoneIdentity.proved($0))
                }
            } ?? []
        identities = try candidate.identities.map(identity)
        factors = try candidate.apps.compactMap { app in
            // No code of an earlier step is known as used.
            try FactorID(key: rowKeys.next()).map {
                try NewSecondFactor(app, as: $0, in: vault, lastStep: 0)
            }
        }
        passkeys = try candidate.passkeys.compactMap { passkey in
            try PasskeyID(key: rowKeys.next()).map {
                (stored: try passkey.stored(as: $0, in: vault, keys), addedAt: passkey.addedAt)
            }
        }
        altered = candidate.altered
    }
}

extension ImportedAccount {
    /// Row keys for bulk imports.
    ///
    /// A row with a random key goes to a random page of the table. With a million accounts, each
    /// account would write a page for each of its rows, 40 KiB in total, whereas rows with
    /// consecutive keys share pages. So these keys ascend in random steps of up to 2⁴⁰ from a
    /// random start. They are practically unguessable, but no security property depends on that.
    final class RowKeys: Sendable {
        private static let stepMask: UInt64 = (1 << 40) - 1

        private let randomness: any Randomness
        private let last: Mutex<Int64>

        init(randomness: any Randomness) {
            self.randomness = randomness
            last = Mutex(Self.start(randomness))
        }

        /// The next key. It is larger than the one before, except after an overflow: once in 2²²
        /// keys at most.
        func next() -> Int64 {
            let step = Int64(randomness.integer() & Self.stepMask) + 1
            return last.withLock { last in
                let (sum, isOver) = last.addingReportingOverflow(step)
                last = isOver ? Self.start(randomness) : sum
                return last
            }
        }

        /// In the lower half of the range, so that at least 2²² keys follow before an overflow.
        private static func start(_ randomness: any Randomness) -> Int64 {
            max(1, Int64(randomness.integer() >> 2))
        }
    }
}

/// The name of the system that an account was imported from, and the account's id there.
struct ImportedID: Hashable, Sendable {
    /// The operator chooses the names of systems; external ids rarely exceed 128 bytes.
    private static let sourceBytes = 1...64
    private static let idBytes = 1...256

    let source: String
    let id: String

    /// Nil if either is empty or too long.
    init?(source: String, id: String) {
        guard Self.sourceBytes.contains(source.utf8.count), Self.idBytes.contains(id.utf8.count)
        else { return nil }
        self.source = source
        self.id = id
    }

    /// The text that is sealed: JSON.
    var text: String { JSONWriter.text(["source": .string(source), "id": .string(id)]) }

    /// Parses `text`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    init(text: String) throws(ServiceError) {
        guard let members = JSONReader.object(in: Array(text.utf8)),
            let source = members["source"]?.string, let id = members["id"]?.string,
            let read = ImportedID(source: source, id: id)
        else { throw ServiceError(.internalError, detail: "an external id is malformed") }
        self = read
    }
}

extension IdentityKeys {
    /// The keyed hash by which an imported account is looked up.
    func lookUpKey(of imported: ImportedID) -> [UInt8] {
        identities.lookUpKey(
            DelimitedParts.joined([
                Array("imported".utf8), Array(imported.source.utf8), Array(imported.id.utf8),
            ]))
    }
}
