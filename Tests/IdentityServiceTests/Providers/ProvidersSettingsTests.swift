import Contracts
import Cryptography
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Provider settings")
struct ProvidersSettingsTests {
    private func load(_ environment: [String: String]) -> SettingsLoader.Outcome<ProvidersSettings>
    {
        SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(ProvidersSettings.self)
    }

    private func settings(_ environment: [String: String]) throws -> ProvidersSettings {
        try SettingsLoader.settings(environment: environment)
    }

    private func complaint(_ environment: [String: String]) -> String {
        guard case .exit(let text, _) = load(environment) else { return "" }
        return text
    }

    @Test("G-04, G-05: by default no provider is enabled")
    func defaults() throws {
        let settings = try settings([:])
        #expect(settings.providers.isEmpty)
        #expect(settings.terms.addresses == .publicOnly)
    }

    @Test("G-04, G-05: client ids enable Google and Apple with their documented parameters")
    func builtIn() throws {
        let settings = try settings([
            "POSTERN_GOOGLE_AUDIENCES":
                "a.apps.googleusercontent.com, b.apps.googleusercontent.com",
            "POSTERN_APPLE_AUDIENCES": "org.example.app",
        ])
        let google = try #require(settings.providers.first)
        let apple = try #require(settings.providers.last)
        #expect(google.name == "google")
        #expect(google.issuers == ["https://accounts.google.com", "accounts.google.com"])
        #expect(google.audiences.count == 2)
        #expect(google.noncePolicy == .required)
        #expect(google.emailTrust == .verified)
        #expect(!google.hashesNonce && !google.namesComeWithRequest)
        #expect(apple.issuers == ["https://appleid.apple.com"])
        #expect(apple.hashesNonce && apple.namesComeWithRequest)
        #expect(google.algorithms == [.rs256] && apple.algorithms == [.rs256])
        #expect(google.recoveryURL == "https://accounts.google.com/signin/recovery")
        #expect(apple.recoveryURL == "https://iforgot.apple.com/")
    }

    @Test("issuer, keys, nonce, emails and private addresses can be set")
    func choices() throws {
        let settings = try settings([
            "POSTERN_GOOGLE_AUDIENCES": "a", "POSTERN_GOOGLE_ISSUER": "http://127.0.0.1:9",
            "POSTERN_GOOGLE_KEYS_URL": "http://127.0.0.1:9/keys",
            "POSTERN_GOOGLE_NONCE": "optional", "POSTERN_GOOGLE_EMAILS": "authoritative",
            "POSTERN_PROVIDER_PRIVATE_ADDRESSES": "true", "POSTERN_PROVIDER_TIMEOUT": "1s",
        ])
        let google = try #require(settings.providers.first)
        #expect(google.issuers == ["http://127.0.0.1:9"], "Google's own issuers are refused")
        #expect(google.noncePolicy == .optional)
        #expect(google.emailTrust == .authoritative)
        #expect(settings.terms.addresses == .any)
        #expect(settings.timeout == .seconds(1))
    }

    @Test(
        "an invalid value of each setting is refused",
        arguments: [
            ("GOOGLE_KEYS_URL", "http://keys.example/"), ("APPLE_KEYS_URL", "keys"),
            ("GOOGLE_NONCE", "never"), ("GOOGLE_EMAILS", "all"), ("PROVIDER_TIMEOUT", "1h"),
            ("PROVIDERS_FILE", "/nowhere/providers.json"),
        ])
    func refused(name: String, value: String) {
        #expect(!complaint(["POSTERN_\(name)": value]).isEmpty)
    }

    @Test("X-04: two providers cannot share an issuer, since an identity is issuer and subject")
    func issuers() {
        let text = complaint([
            "POSTERN_GOOGLE_AUDIENCES": "a", "POSTERN_APPLE_AUDIENCES": "b",
            "POSTERN_GOOGLE_ISSUER": "https://appleid.apple.com",
        ])
        #expect(text.contains("two providers cannot be one issuer"))
    }

    private func file(_ text: String) throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        return (folder, try folder.write(text, to: "providers.json"))
    }

    @Test("the providers file adds providers, with all fields or only the required ones")
    func further() throws {
        let (folder, path) = try file(
            """
            {"providers": [
                {"name": "my-idp", "issuer": "https://id.example/realms/one",
                 "audiences": ["shop", "shop-ios"], "keys-url": "https://id.example/keys",
                 "algorithms": ["RS256", "ES256"], "emails": "verified", "nonce": "optional",
                 "aal2-acr": ["urn:example:two"], "aal2-amr": ["mfa", "hwk"],
                 "recovery-url": "https://id.example/recover"},
                {"name": "other", "issuer": "https://other.example/", "audiences": ["x"]}
            ]}
            """)
        defer { withExtendedLifetime(folder) {} }
        let providers = try settings([
            "POSTERN_PROVIDERS_FILE": path, "POSTERN_APPLE_AUDIENCES": "a",
        ]).providers
        #expect(providers.map(\.name) == ["apple", "my-idp", "other"])
        let (first, second) = (providers[1], providers[2])
        #expect(first.audiences == ["shop", "shop-ios"])
        #expect(first.recoveryURL == "https://id.example/recover" && second.recoveryURL.isEmpty)
        #expect(first.algorithms == [.rs256, .es256])
        #expect(first.emailTrust == .verified)
        #expect(first.noncePolicy == .optional)
        #expect(first.bothProofs?.classes == ["urn:example:two"])
        #expect(first.bothProofs?.methods == ["mfa", "hwk"])
        let place = HTTPURL(
            "https://other.example/.well-known/openid-configuration", allowsPlain: false)
        #expect(place.map { second.jwksLocation == .described(by: $0) } == true)
        #expect(second.issuer == "https://other.example/", "compared byte by byte")
        #expect(second.emailTrust == .none)
        #expect(second.noncePolicy == .required)
        #expect(second.algorithms == [.rs256])
        #expect(second.bothProofs == nil && providers[0].bothProofs == nil)
    }

    @Test("F-04: providers whose tokens can count as both proofs are known by their names")
    func strong() throws {
        let (folder, path) = try file(
            """
            {"providers": [
                {"name": "one", "issuer": "https://a.example", "audiences": ["x"],
                 "aal2-amr": ["mfa"]},
                {"name": "two", "issuer": "https://b.example", "audiences": ["x"],
                 "aal2-acr": ["2"]},
                {"name": "three", "issuer": "https://c.example", "audiences": ["x"]}
            ]}
            """)
        defer { withExtendedLifetime(folder) {} }
        let settings = try settings([
            "POSTERN_PROVIDERS_FILE": path, "POSTERN_GOOGLE_AUDIENCES": "a",
        ])
        #expect(settings.strongProviders == ["one", "two"])
    }

    @Test(
        "F-04, G-36: values of a wrong kind, or that say that a password was given, are refused",
        arguments: [
            ("aal2-acr", #""urn:two""#), ("aal2-acr", "[]"), ("aal2-acr", "[7]"),
            ("aal2-amr", #"[""]"#), ("aal2-amr", #"["mfa", "pwd"]"#), ("aal2-amr", "null"),
            ("recovery-url", #""javascript:alert(1)""#), ("recovery-url", "7"),
            ("recovery-url", #""http://id.example/""#),
        ])
    func strongProblems(name: String, value: String) throws {
        let (folder, path) = try file(
            """
            {"providers": [{"name": "one", "issuer": "https://a.example", "audiences": ["x"],
                "\(name)": \(value)}]}
            """)
        defer { withExtendedLifetime(folder) {} }
        let text = complaint(["POSTERN_PROVIDERS_FILE": path])
        #expect(text.contains("provider 1 ") && text.contains("\"\(name)\""))
    }

    @Test("all problems in the providers file are reported at once, each with its place")
    func problems() throws {
        let (folder, path) = try file(
            """
            {"providers": [
                {"name": "password", "issuer": "https://a.example", "audiences": ["x"]},
                {"name": "Upper", "issuer": "http://b.example", "audiences": []},
                {"name": "good", "issuer": "https://c.example", "audiences": ["x"]},
                {"name": "good", "issuer": "https://c.example", "audiences": ["x"]},
                {"name": "odd", "issuer": "https://accounts.google.com", "audiences": ["x"],
                 "emails": "authoritative", "nonce": 1, "algorithms": ["HS256"],
                 "keys-url": "file:///keys", "secret": "s"},
                7
            ]}
            """)
        defer { withExtendedLifetime(folder) {} }
        let text = complaint(["POSTERN_PROVIDERS_FILE": path])
        for problem in [
            "provider 1 cannot be named \"password\"", "provider 2 needs a \"name\"",
            "provider 2 needs an \"issuer\"", "provider 2 needs \"audiences\"",
            "provider 4 is the second one named", "provider 4 has an \"issuer\" that another",
            "provider 5 has an \"issuer\" that another", "provider 5 has an \"emails\"",
            "provider 5 has an \"nonce\"", "provider 5 has \"algorithms\"",
            "provider 5 has a \"keys-url\"", "provider 5 knows no \"secret\"",
            "provider 6 needs a \"name\"",
        ] { #expect(text.contains(problem), "\(problem) in \(text)") }
        #expect(!text.contains("provider 3"))
    }

    @Test(
        "G-04: no provider has the name of a way to sign in, and the problem says what to do",
        arguments: SignInMethod.reservedNames.sorted())
    func reserved(name: String) throws {
        let text = try complaint(aboutProviderNamed: name)
        #expect(text.contains("provider 1 cannot be named \"\(name)\""))
        #expect(text.contains("reserved for a way to sign in") && text.contains("Choose another"))
        #expect(text.contains("docker/sign-in.md"))
    }

    @Test(
        "G-04: no provider of the file has the name of one with settings of its own",
        arguments: BuiltInProvider.allCases)
    func ownSettings(of provider: BuiltInProvider) throws {
        let name = provider.rawValue
        let text = try complaint(aboutProviderNamed: name)
        #expect(text.contains("provider 1 cannot be named \"\(name)\""))
        #expect(text.contains("\(name)-audiences"))
    }

    private func complaint(aboutProviderNamed name: String) throws -> String {
        let (folder, path) = try file(
            """
            {"providers": [{"name": "\(name)", "issuer": "https://a.example", "audiences": ["x"]}]}
            """)
        defer { withExtendedLifetime(folder) {} }
        return complaint(["POSTERN_PROVIDERS_FILE": path])
    }

    @Test(
        "a malformed providers file is refused as a whole",
        arguments: ["", "{}", "[]", #"{"providers":{}}"#, #"{"providers":[],"more":1}"#])
    func broken(text: String) throws {
        let (folder, path) = try file(text)
        defer { withExtendedLifetime(folder) {} }
        #expect(complaint(["POSTERN_PROVIDERS_FILE": path]).contains("providers"))
    }
}
