import Contracts
import Cryptography
import IdentityService
import JSON
import ServiceRuntime

/// What the later steps of a deletion need to know of its account, whose rows are gone by then.
struct DeletionPayload: Hashable, Sendable {
    /// Its email address as entered; empty for none.
    var email = ""
    /// The address is verified, so the last mail may be sent to it.
    var isEmailProved = false
    /// Its phone numbers in E.164.
    var phoneNumbers: [String] = []
    /// The language of its mails; may be empty.
    var language = ""
    /// The grants to revoke.
    var grants: [Grant] = []

    /// A grant at a provider.
    struct Grant: Hashable, Sendable {
        /// The provider that issued it.
        let provider: BuiltInProvider
        /// The client id that it was issued to.
        let client: String
        /// The token that revokes it.
        let token: String
        /// The keyed hash by which its identity is looked up: an identity that has signed up again
        /// keeps its grant.
        let lookUpKey: [UInt8]
    }
}

extension DeletionPayload {
    /// The text that is sealed: JSON, so that a later version can add fields.
    fileprivate var text: String {
        JSONWriter.text([
            "email": .string(email), "proved": .boolean(isEmailProved),
            "phones": .array(phoneNumbers.map { .string($0) }), "language": .string(language),
            "grants": .array(
                grants.map { grant in
                    .object([
                        "client": .string(grant.client),
                        grant.provider.member("token"): .string(grant.token),
                        "identity": .string(Hex.encode(grant.lookUpKey)),
                    ])
                }),
        ])
    }

    /// Parses `text`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    fileprivate init(text: [UInt8]) throws(ServiceError) {
        guard let object = JSONReader.object(in: text), let email = object["email"]?.string,
            let phones = object["phones"]?.strings, let language = object["language"]?.string,
            let grants = object["grants"]?.array
        else { throw Self.malformed }
        self.email = email
        isEmailProved = object["proved"] == .boolean(true)
        phoneNumbers = phones
        self.language = language
        for grant in grants {
            guard let grant = grant.object, let client = grant["client"]?.string,
                let (provider, token) = BuiltInProvider.member("token", of: grant),
                let lookUpKey = grant["identity"]?.string.flatMap({ Hex.decode($0.utf8) })
            else { throw Self.malformed }
            self.grants.append(
                Grant(provider: provider, client: client, token: token, lookUpKey: lookUpKey))
        }
    }

    private static var malformed: ServiceError {
        ServiceError(.internalError, detail: "the payload of a deletion is malformed")
    }
}

/// Seals the payload of a deletion under the key of its row.
struct DeletionVault: Sendable {
    private let account: AccountID
    private let box: SealedBox
    /// The row's sealed key, as stored.
    let sealedKey: [UInt8]

    /// A vault for a new deletion, with a new key.
    init(new account: AccountID, _ deletions: DeletionContext) throws {
        let key = SecretBytes.generate(
            count: SecretFile.keyBytes, randomness: deletions.randomness)
        self.account = account
        sealedKey = try deletions.keys.deletions.seal(key, at: Self.keyPlace(account))
        box = try SealedBox(keys: [1: key], current: 1, randomness: deletions.randomness)
    }

    /// The vault of a deletion.
    /// - Throws: if its key does not decrypt.
    init(of deletion: StoredDeletion, _ deletions: DeletionContext) throws {
        let key = try deletions.keys.deletions.openSecret(
            deletion.sealedKey, at: Self.keyPlace(deletion.account))
        account = deletion.account
        sealedKey = deletion.sealedKey
        box = try SealedBox(keys: [1: key], current: 1, randomness: deletions.randomness)
    }

    /// Seals a payload for the store.
    func seal(_ payload: DeletionPayload) throws -> [UInt8] {
        try box.seal(Array(payload.text.utf8), at: place)
    }

    /// Decrypts a payload.
    /// - Throws: if it was sealed under another key.
    func open(_ sealed: [UInt8]) throws -> DeletionPayload {
        try DeletionPayload(text: box.open(sealed, at: place))
    }

    private var place: SealedPlace {
        SealedPlace(table: "deletions", column: "payload", row: account.key)
    }

    private static func keyPlace(_ account: AccountID) -> SealedPlace {
        SealedPlace(table: "deletions", column: "sealed_key", row: account.key)
    }
}
