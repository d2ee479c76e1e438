import Contracts
import Cryptography
import JSON
import Messages

/// Converts a user of Firebase's `auth:export` (format JSON) to an account record, and lists what
/// the export lacks. Source: https://firebase.google.com/docs/cli/auth, "Account export".
struct FirebaseUser {
    /// What Firebase writes instead of a hash if the exporting user has no permission to see it.
    private static let redacted = "REDACTED"

    /// Firebase's names, among those of providers, for what has members of its own in a user.
    private enum OwnMethod: String {
        case password, phone
    }

    /// The known providers by default, by Firebase's names for them.
    static let providers: [String: Provider] = [
        "google.com": Provider(.google), "apple.com": Provider(.apple),
    ]

    /// The beginning of a hash's text: `$firebase-scrypt$m=14,r=8$k=1`; nil to import no passwords.
    let hashPrefix: String?
    let providers: [String: Provider]

    /// The account of a user, and what the export lacks of it.
    func read(_ bytes: [UInt8]) -> (record: ReadRecord, lost: [String]) {
        guard bytes.count <= RecordReader.recordBytesMax,
            let user = JSONReader.object(in: bytes, depthMax: 12)
        else { return (.noObject, []) }
        let id = user["localId"]?.string ?? ""
        var lost: [String] = []
        var record = IdentityV1.AccountRecord(
            externalId: id, email: text(user["email"]),
            emailVerified: user["emailVerified"] == .boolean(true),
            displayName: text(user["displayName"]), photoUrl: text(user["photoUrl"]),
            phoneNumber: text(user["phoneNumber"]), disabled: user["disabled"] == .boolean(true),
            createdAtMs: moment(user["createdAt"]),
            lastSignInAtMs: moment(user["lastSignedInAt"]),
            customClaims: text(user["customAttributes"]))
        let links = user["providerUserInfo"]?.array?.compactMap(\.object) ?? []
        record.identities = identities(links, &lost)
        record.passwordHash = password(user, links, &lost)
        // The export has no secrets.
        if user["mfaInfo"]?.array?.isEmpty == false {
            lost.append("second factors: to be set up again")
        }
        if !text(user["tenantId"]).isEmpty { lost.append("tenants: imported without them") }
        guard !record.email.isEmpty || !record.phoneNumber.isEmpty || !record.identities.isEmpty
        else {
            return (
                .skipped(what: links.isEmpty ? "anonymous users" : "users of unknown providers"),
                lost
            )
        }
        return (.account(record), lost)
    }

    private func identities(
        _ links: [JSONObject], _ lost: inout [String]
    ) -> [IdentityV1.ProviderIdentity] {
        var identities: [IdentityV1.ProviderIdentity] = []
        for link in links {
            let name = text(link["providerId"])
            guard OwnMethod(rawValue: name) == nil else { continue }
            guard let provider = providers[name] else {
                lost.append("links to \(name): unknown, see --provider")
                continue
            }
            identities.append(
                IdentityV1.ProviderIdentity(
                    method: provider.method, issuer: provider.issuer,
                    subject: text(link["rawId"]), email: text(link["email"]),
                    displayName: text(link["displayName"])))
        }
        return identities
    }

    /// The text of the password hash; empty if there is none, or it cannot be used.
    private func password(
        _ user: JSONObject, _ links: [JSONObject], _ lost: inout [String]
    ) -> String {
        guard let hashPrefix else { return "" }
        let hash = text(user["passwordHash"])
        guard !hash.isEmpty else {
            if links.contains(where: { text($0["providerId"]) == OwnMethod.password.rawValue }) {
                lost.append("passwords: the export has no hash")
            }
            return ""
        }
        guard let hash = Base64.decodeLeniently(hash.utf8), hash != Array(Self.redacted.utf8) else {
            lost.append("passwords: the exporting user may not see them")
            return ""
        }
        guard let salt = Base64.decodeLeniently(text(user["salt"]).utf8), !salt.isEmpty else {
            lost.append("passwords: the export has no salt")
            return ""
        }
        return "\(hashPrefix)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
    }

    private func text(_ value: JSONValue?) -> String { value?.string ?? "" }

    /// Milliseconds since 1970, given as a string or a number.
    private func moment(_ value: JSONValue?) -> Int64 {
        value?.integer ?? value?.string.flatMap { Int64($0) } ?? 0
    }

    /// The sign-in method and issuer of a provider in Firebase's list.
    struct Provider: Hashable {
        let method: String
        let issuer: String
    }

    /// The "Password hash parameters" of a project, as Firebase's console shows them:
    ///
    ///     hash_config {
    ///       algorithm: SCRYPT,
    ///       base64_signer_key: jxsp…,
    ///       base64_salt_separator: Bw==,
    ///       rounds: 8,
    ///       mem_cost: 14,
    ///     }
    struct HashConfig: Hashable {
        let signerKey: [UInt8]
        let saltSeparator: [UInt8]
        let rounds: Int
        let memoryCost: Int

        /// Parses the copied text.
        /// - Throws: `ToolError`, naming what is missing.
        init(_ text: String) throws {
            var fields: [String: String] = [:]
            for line in text.split(whereSeparator: { "\n\r{},".contains($0) }) {
                let parts = line.split(separator: ":", maxSplits: 1).map { part in
                    String(
                        part.drop { " \t\"".contains($0) }.reversed()
                            .drop { " \t\"".contains($0) }.reversed())
                }
                if parts.count == 2 { fields[parts[0]] = parts[1] }
            }
            func field(_ name: String) throws -> String {
                guard let text = fields[name] else {
                    throw ToolError("the hash parameters have no \(name)")
                }
                return text
            }
            guard try field("algorithm") == "SCRYPT" else {
                throw ToolError("the hash parameters' algorithm is not SCRYPT")
            }
            guard let key = Base64.decode(try field("base64_signer_key").utf8),
                let separator = Base64.decode(try field("base64_salt_separator").utf8),
                let rounds = Int(try field("rounds")), let memoryCost = Int(try field("mem_cost"))
            else { throw ToolError("the hash parameters are invalid") }
            signerKey = key
            saltSeparator = separator
            self.rounds = rounds
            self.memoryCost = memoryCost
        }
    }
}

extension FirebaseUser.Provider {
    fileprivate init(_ provider: BuiltInProvider) {
        self.init(method: provider.rawValue, issuer: provider.issuers[0])
    }
}
