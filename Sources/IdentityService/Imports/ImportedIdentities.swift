import Addresses
import Messages
import ServiceRuntime

/// Reads the identities of a record into the form that a token or a code would have proved.
enum ImportedIdentities {
    /// Providers that one account can be linked to; Firebase supports about ten.
    private static let countMax = 16
    private static let methodBytes = 1...32
    /// OpenID Connect Core §2: a subject has at most 255 bytes; issuers are URLs of that length.
    private static let nameBytes = 1...255
    /// Digits of a number including its country code: at most 15 (E.164, 6.2.1), and at least 7,
    /// the shortest that exist.
    private static let phoneDigits = 7...15
    private static let appleIssuer = "https://appleid.apple.com"
    private static let appleRelay = "@privaterelay.appleid.com"

    /// - Throws: `ImportRefusal` if an identity is malformed, there are too many, or two have the
    ///   same provider.
    static func all(
        _ record: IdentityV1.AccountRecord
    ) throws(ImportRefusal) -> [ProvedIdentity] {
        guard record.identities.count <= countMax else { throw refusal("too-many") }
        var methods: Set<String> = []
        // A duplicate subject would violate the store's unique index, and every import of the file
        // would fail there.
        var subjects: Set<[String]> = []
        var identities: [ProvedIdentity] = []
        for identity in record.identities {
            guard methods.insert(identity.method).inserted else {
                throw refusal("two-of-one-method")
            }
            guard identity.issuer != "phone",
                subjects.insert([identity.issuer, identity.subject]).inserted
            else { throw refusal("two-of-one-subject") }
            identities.append(try read(identity))
        }
        return identities
    }

    private static func read(
        _ identity: IdentityV1.ProviderIdentity
    ) throws(ImportRefusal) -> ProvedIdentity {
        guard isMethod(identity.method) else { throw refusal("method") }
        guard nameBytes.contains(identity.issuer.utf8.count),
            nameBytes.contains(identity.subject.utf8.count)
        else { throw refusal("subject") }
        // A verification by another system proves nothing here; the identity is its issuer and
        // subject.
        let email = EmailAddress(identity.email).map { address in
            ProvidedEmail(
                address: address, isVerified: false,
                isRelay: identity.issuer == appleIssuer && address.mailbox.hasSuffix(appleRelay))
        }
        return ProvedIdentity(
            method: identity.method, issuer: identity.issuer, subject: identity.subject,
            email: email, displayName: String(identity.displayName.prefix(200)), amr: [])
    }

    /// The phone number as an identity; nil for none.
    /// - Throws: `ImportRefusal` with `auth/invalid-phone-number`.
    static func phone(
        _ record: IdentityV1.AccountRecord
    ) throws(ImportRefusal) -> ProvedIdentity? {
        guard !record.phoneNumber.isEmpty else { return nil }
        let digits = record.phoneNumber.utf8.dropFirst()
        guard record.phoneNumber.utf8.first == UInt8(ascii: "+"),
            phoneDigits.contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (48...57).contains($0) })
        else { throw ImportRefusal(code: .invalidPhoneNumber, field: "phone_number") }
        return ProvedIdentity(
            method: "phone", issuer: "phone", subject: record.phoneNumber, amr: [])
    }

    /// Whether `method` can be a provider's name. Methods are shown in lists; "password" and
    /// "phone" are reserved.
    private static func isMethod(_ method: String) -> Bool {
        methodBytes.contains(method.utf8.count) && method != "password" && method != "phone"
            && method.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    private static func refusal(_ reason: String) -> ImportRefusal {
        ImportRefusal(code: .invalidArgument, field: "identities", reason: reason)
    }
}
