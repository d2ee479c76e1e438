import Contracts
import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// The operator's file of further OpenID providers. It is validated completely, and all errors
/// are reported at once:
///
///     {"providers": [{
///         "name": "example",                          the name in calls and lists of methods;
///                                                     none of `SignInMethod.reservedNames`
///         "issuer": "https://id.example.org",         as in its tokens, byte for byte
///         "audiences": ["shop", "shop-ios"],          your client ids there
///         "keys-url": "https://id.example.org/keys",  default: from its discovery document
///         "algorithms": ["RS256"],                    RS256, ES256; default: RS256
///         "emails": "verified",                       none, verified; default: none
///         "nonce": "required",                        required, optional; default: required
///         "aal2-acr": ["urn:example:two"],            default: none
///         "aal2-amr": ["mfa"],                        default: none
///         "recovery-url": "https://id.example.org/recover"    the page on which people get their
///                                                     account there back; default: none
///     }]}
///
/// A token whose `acr` is one of `aal2-acr`, or whose `amr` has one of `aal2-amr`, counts as both
/// proofs of a sign-in (F-04), for an identity that the account has already. Use it only for a
/// provider that asks for a second factor whenever it says so.
///
/// `"emails": "verified"` lets this provider open every account whose address it claims to have
/// verified. Use it only for a provider that is yours, or that you would trust with all accounts.
struct ProvidersFile: Sendable {
    /// The largest file, in bytes.
    private static let bytesMax = 64 * 1_024

    /// The providers of the file; empty when it has errors.
    let providers: [Provider]
    /// The errors, each with its position.
    let errors: [String]

    /// Reads the file at `path`. Names and issuers must differ from those of `built`.
    init(path: String, beside built: [Provider], allowsPlain: Bool) {
        switch FileText.read(path, bytesMax: Self.bytesMax) {
        case .failure(let failure):
            self.init(errors: ["\(path): \(failure.sentence)"])
        case .success(let bytes):
            self.init(bytes, path: path, beside: built, allowsPlain: allowsPlain)
        }
    }

    private init(providers: [Provider] = [], errors: [String]) {
        self.providers = errors.isEmpty ? providers : []
        self.errors = errors
    }

    private init(
        _ bytes: [UInt8], path: String, beside built: [Provider], allowsPlain: Bool
    ) {
        guard let object = JSONReader.object(in: bytes), object.members.count == 1,
            let entries = object["providers"]?.array
        else {
            self.init(errors: ["\(path): not an object with an array \"providers\" alone"])
            return
        }
        var errors: [String] = []
        if entries.count > ProvidersSettings.countMax - BuiltInProvider.allCases.count {
            errors.append("\(path): more than \(ProvidersSettings.countMax) providers")
        }
        var providers = built
        for (number, entry) in entries.enumerated() {
            let place = "\(path): provider \(number + 1)"
            var reading = Entry(entry.object ?? [:], place: place)
            if let provider = reading.provider(beside: providers, allowsPlain: allowsPlain) {
                providers.append(provider)
            }
            errors += reading.errors
        }
        self.init(providers: Array(providers.dropFirst(built.count)), errors: errors)
    }
}

extension ProvidersFile {
    /// One entry of the operator's file of providers.
    struct Entry {
        private static let names: Set<String> = [
            "name", "issuer", "audiences", "keys-url", "algorithms", "emails", "nonce",
            "aal2-acr", "aal2-amr", "recovery-url",
        ]
        private static let valuesMax = 16
        private static let valueBytesMax = 255
        private static let nameBytesMax = 32
        private static let audiencesMax = 64
        private static let audienceBytesMax = 255

        private(set) var errors: [String] = []
        private let object: JSONObject
        private let place: String

        init(_ object: JSONObject, place: String) {
            self.object = object
            self.place = place
        }

        /// The provider; nil when the entry is invalid, with the reasons in `errors`.
        mutating func provider(beside others: [Provider], allowsPlain: Bool) -> Provider? {
            for member in object.members where !Self.names.contains(member.name) {
                report("knows no \"\(member.name)\"")
            }
            let name = name(beside: others)
            let issuer = issuer(beside: others, allowsPlain: allowsPlain)
            let audiences = audiences()
            let location = readLocation(issuer: issuer, allowsPlain: allowsPlain)
            let algorithms = algorithms()
            let trust: Provider.EmailTrust = choice(
                "emails", of: [.none, .verified], default: .none)
            let nonce: Provider.NoncePolicy = choice(
                "nonce", of: Provider.NoncePolicy.allCases, default: .required)
            let recoveryURL = recoveryURL()
            let both = Provider.BothProofs(
                classes: values("aal2-acr"), methods: values("aal2-amr"))
            guard errors.isEmpty, let name, let issuer, let location else { return nil }
            return Provider(
                name: name, issuers: [issuer], audiences: audiences, jwksLocation: location,
                algorithms: algorithms, emailTrust: trust, noncePolicy: nonce,
                bothProofs: both.classes.isEmpty && both.methods.isEmpty ? nil : both,
                recoveryURL: recoveryURL)
        }

        /// Apps open it in a browser. Attack: another scheme would run in the app's web view.
        private mutating func recoveryURL() -> String {
            guard let value = object["recovery-url"] else { return "" }
            if let url = value.string.flatMap({ HTTPURL($0, allowsPlain: false) }) {
                return url.text
            }
            report("has a \"recovery-url\" that is not an https URL")
            return ""
        }

        private mutating func report(_ sentence: String) {
            errors.append("\(place) \(sentence)")
        }

        private mutating func name(beside others: [Provider]) -> String? {
            guard let name = object["name"]?.string, Self.isName(name) else {
                report(
                    "needs a \"name\" of 2 to \(Self.nameBytesMax) lowercase letters, digits, hyphens"
                )
                return nil
            }
            guard !SignInMethod.reservedNames.contains(name) else {
                report(
                    "cannot be named \"\(name)\": the name is reserved for a way to sign in. "
                        + "Choose another; accounts stay linked, by issuer and subject. Before the "
                        + "next start rename it in their rows too, as docker/sign-in.md says under "
                        + "\"Other OpenID providers\"")
                return nil
            }
            guard BuiltInProvider(rawValue: name) == nil else {
                report("cannot be named \"\(name)\": that provider is set up by \(name)-audiences")
                return nil
            }
            if others.contains(where: { $0.name == name }) {
                report("is the second one named \"\(name)\"")
            }
            return name
        }

        /// An identity is its issuer and subject, so each issuer belongs to one provider.
        private mutating func issuer(beside others: [Provider], allowsPlain: Bool) -> String? {
            guard let issuer = object["issuer"]?.string, !issuer.utf8.contains(UInt8(ascii: "?")),
                HTTPURL(issuer, allowsPlain: allowsPlain) != nil
            else {
                report("needs an \"issuer\": an https URL without a query")
                return nil
            }
            let taken = others.flatMap(\.issuers) + BuiltInProvider.allIssuers
            if taken.contains(issuer) { report("has an \"issuer\" that another provider has") }
            return issuer
        }

        private mutating func audiences() -> Set<String> {
            guard let audiences = object["audiences"]?.strings,
                (1...Self.audiencesMax).contains(audiences.count),
                audiences.allSatisfy({ (1...Self.audienceBytesMax).contains($0.utf8.count) })
            else {
                report("needs \"audiences\": a list of 1 to \(Self.audiencesMax) client ids")
                return []
            }
            return Set(audiences)
        }

        private mutating func readLocation(
            issuer: String?, allowsPlain: Bool
        ) -> Provider.JWKSLocation? {
            if let value = object["keys-url"] {
                if let url = value.string.flatMap({ HTTPURL($0, allowsPlain: allowsPlain) }) {
                    return .at(url)
                }
                report("has a \"keys-url\" that is not an https URL")
                return nil
            }
            guard let issuer else { return nil }
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            guard
                let url = HTTPURL(
                    "\(base)/.well-known/openid-configuration", allowsPlain: allowsPlain)
            else {
                report("has an \"issuer\" that is too long")
                return nil
            }
            return .described(by: url)
        }

        private mutating func algorithms() -> Set<SignatureAlgorithm> {
            guard let value = object["algorithms"] else { return [.rs256] }
            let algorithms = (value.strings ?? []).map(SignatureAlgorithm.init(rawValue:))
            guard !algorithms.isEmpty, !algorithms.contains(nil) else {
                report("has \"algorithms\" other than RS256 and ES256")
                return []
            }
            return Set(algorithms.compactMap(\.self))
        }

        /// Values of a claim that say: by two proofs. A password is one, and its word would open
        /// accounts past their second factor.
        private mutating func values(_ name: String) -> Set<String> {
            guard let value = object[name] else { return [] }
            guard let texts = value.strings, (1...Self.valuesMax).contains(texts.count),
                texts.allSatisfy({ (1...Self.valueBytesMax).contains($0.utf8.count) })
            else {
                report("has a \"\(name)\" that is not a list of 1 to \(Self.valuesMax) values")
                return []
            }
            for word in Authentication.password.amr where texts.contains(word) {
                report("cannot have \"\(word)\" in \"\(name)\": a password is one proof")
            }
            return Set(texts)
        }

        private mutating func choice<Choice: RawRepresentable<String>>(
            _ name: String, of choices: [Choice], default standard: Choice
        ) -> Choice {
            guard let value = object[name] else { return standard }
            if let choice = choices.first(where: { value == .string($0.rawValue) }) {
                return choice
            }
            let words = choices.map(\.rawValue).joined(separator: ", ")
            report("has an \"\(name)\" other than \(words)")
            return standard
        }

        private static func isName(_ text: String) -> Bool {
            text.isName(2...nameBytesMax, [.lower, .digit], marks: "-")
                && text.first != "-" && text.last != "-"
        }
    }
}
