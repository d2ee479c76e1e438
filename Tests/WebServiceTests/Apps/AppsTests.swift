import Contracts
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("The apps file")
struct AppsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(
        _ text: String, _ name: String = "apps.yaml"
    ) throws -> SettingsDocument<Apps> {
        SettingsDocument(path: try folder.write(text, to: name))
    }

    private static let yaml = """
        shop-web:
          key: pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f
          platforms: [web]
          origins:
            - https://shop.example.org
            - http://localhost:3000
          redirect-uris: [https://shop.example.org/done]
          refresh: cookie
        shop-ios:
          key: pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c
          platforms: [ios, android]
          apple-return: android-app://org.example.shop
          methods: [postern.gateway.v1.Auth/*, postern.gateway.v1.Passwords/ChangePassword]
        """
    private static let json = """
        {"shop-web": {"key": "pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f", "platforms": ["web"],
           "origins": ["https://shop.example.org", "http://localhost:3000"],
           "redirect-uris": ["https://shop.example.org/done"], "refresh": "cookie"},
         "shop-ios": {"key": "pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c",
           "platforms": ["ios", "android"], "apple-return": "android-app://org.example.shop",
           "methods": ["postern.gateway.v1.Auth/*", "postern.gateway.v1.Passwords/ChangePassword"]}}
        """

    @Test("all settings of an app, as YAML and as JSON")
    func whole() throws {
        for (text, name) in [(Self.yaml, "apps.yaml"), (Self.json, "apps.json")] {
            let document = try read(text, name)
            #expect(document.problems == [])
            let apps = try #require(document.values)
            #expect(apps.all.map(\.name) == ["shop-ios", "shop-web"])
            let web = try #require(apps.app(key: AppsFixture.webKey))
            #expect(web.name == "shop-web")
            #expect(web.platforms == [.web])
            #expect(web.origins == ["https://shop.example.org", "http://localhost:3000"])
            #expect(web.redirectURIs == ["https://shop.example.org/done"])
            #expect(web.methods == nil)
            #expect(web.refresh == .cookie)
            let phone = try #require(apps.app(key: AppsFixture.phoneKey))
            #expect(phone.refresh == .body)
            #expect(phone.origins == [])
            #expect(phone.appleReturn == .android("org.example.shop") && web.appleReturn == nil)
            #expect(phone.allows("postern.gateway.v1.Auth/SignOut"))
            #expect(phone.allows("postern.gateway.v1.Passwords/ChangePassword"))
            #expect(!phone.allows("postern.gateway.v1.Passwords/ResetPassword"))
            #expect(apps.app(key: "pk_unknown") == nil)
        }
    }

    @Test("an empty file has no apps")
    func empty() throws {
        #expect(try read("# nothing\n").values == Apps.none)
    }

    /// A file with one mistake, and what the operator reads about it.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let change: (String, String)
        let sentence: String

        var testDescription: String { sentence }
    }

    static let mistakes = [
        Mistake(
            change: ("  refresh: cookie", "  refesh: cookie"),
            sentence: "line 8 \"shop-web-refesh\": there is no such setting; did you mean "
                + "shop-web-refresh?"),
        Mistake(
            change: ("  refresh: cookie", "  refresh: cooky"),
            sentence: "line 8: \"cooky\" is not one of body, cookie"),
        Mistake(
            change: ("pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f", "pk_short"),
            sentence:
                "line 2: \"pk_short\" is not pk_ and at least 32 letters and digits; make one "
                + "by: echo pk_$(openssl rand -hex 16)"),
        Mistake(
            change: ("pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f", "pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c"),
            sentence: "shop-web-key: it is also the key of shop-ios"),
        Mistake(
            change: ("  key: pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f\n", ""),
            sentence: "shop-web-key: the app needs a key"),
        Mistake(
            change: ("    - https://shop.example.org\n", "    - https://*.example.org\n"),
            sentence: "line 4: [\"https://*.example.org\""),
        Mistake(
            change: ("    - https://shop.example.org\n", "    - \"null\"\n"),
            sentence: "line 4: [\"null\""),
        Mistake(
            change: ("platforms: [ios, android]", "platforms: [ios, nokia]"),
            sentence: "one of android, cli, desktop, ios, web"),
        Mistake(
            change: ("  platforms: [ios, android]\n", ""),
            sentence: "shop-ios-platforms: say where the app runs"),
        Mistake(
            change: ("platforms: [ios, android]", "platforms: [ios, web]"),
            sentence: "shop-ios-platforms, shop-ios-origins: an app with the platform web needs"),
        Mistake(
            change: ("platforms: [web]", "platforms: [web, ios]"),
            sentence: "shop-web-refresh, shop-web-platforms: cookie is for apps whose only"),
        Mistake(
            change: ("methods: [postern", "methods: [] #"), sentence: "a list of 1 to 64, each"),
        Mistake(
            change: ("postern.gateway.v1.Auth/*", "\"*\""),
            sentence: "a method such as postern.gateway.v1.Auth/SignOut"),
        Mistake(
            change: ("https://shop.example.org/done", "http://shop.example.org/done"),
            sentence: "line 7: [\"http://shop.example.org/done\"]"),
        Mistake(
            change: ("android-app://org.example.shop", "android-app://shop"),
            sentence: "\"android-app://shop\" is not a URI such as https://app.example.org/apple"),
        Mistake(
            change: ("platforms: [ios, android]", "platforms: [ios]"),
            sentence: "shop-ios-apple-return, shop-ios-platforms: android-app:// is for apps with"),
        Mistake(
            change: ("shop-ios:", "Shop-iOS:"), sentence: "there is no such setting"),
    ]

    @Test("a mistake is reported with its place and what to do", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let text = Self.yaml.replacing(mistake.change.0, with: mistake.change.1)
        #expect(text != Self.yaml)
        let document = try read(text)
        #expect(document.values == nil)
        #expect(
            document.problems.contains { $0.contains(mistake.sentence) }, "\(document.problems)")
    }

    @Test("at most 64 apps")
    func tooMany() throws {
        let text = (0...64).map { index in
            let key = String(index + 100_000)
            return "app\(index):\n  key: pk_\(String(repeating: "0", count: 26))\(key)\n"
                + "  platforms: [ios]\n"
        }
        #expect(try read(text.dropLast().joined()).problems == [])
        #expect(try read(text.joined()).problems.contains { $0.contains("more than 64 apps") })
    }

    @Test("a method that is not public is a mistake, since a file cannot make it so")
    func notPublic() throws {
        let text = Self.yaml.replacing(
            "postern.gateway.v1.Passwords/ChangePassword",
            with: "postern.gateway.v1.Admin/*")
        let apps = try #require(try read(text).values)
        let problems = apps.problems(publicMethods: ["postern.gateway.v1.Auth/SignOut"])
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasPrefix("shop-ios-methods: postern.gateway.v1.Admin/* is no public")
                == true)
    }

    @Test("a change takes effect; a broken one does not, and is logged once")
    func reload() throws {
        let log = CapturedLog()
        let path = try folder.write(Self.yaml, to: "apps.yaml")
        let file = try AppsFile(
            path: path, current: SettingsDocument(path: path),
            publicMethods: [
                "postern.gateway.v1.Auth/SignOut", "postern.gateway.v1.Passwords/ChangePassword",
            ], logger: log.logger())
        #expect(file.apps.value.all.count == 2)
        _ = try folder.write(Self.yaml.replacing("cookie", with: "cooky"), to: "apps.yaml")
        for _ in 0..<4 { file.files.look() }
        #expect(file.apps.value.all.count == 2)
        let failed = log.lines.filter { $0.contains("web.apps.reload.failed") }
        #expect(failed.count == 1)
        #expect(failed.first?.contains("line 8") == true)
        _ = try folder.write(
            Self.yaml.replacing("v1.Passwords/ChangePassword", with: "v1.Admin/*"),
            to: "apps.yaml")
        for _ in 0..<2 { file.files.look() }
        #expect(log.lines.filter { $0.contains("web.apps.reload.failed") }.count == 2)
        let one = Self.yaml.split(separator: "shop-ios").first.map(String.init) ?? ""
        _ = try folder.write(one, to: "apps.yaml")
        for _ in 0..<2 { file.files.look() }
        #expect(file.apps.value.all.map(\.name) == ["shop-web"])
        #expect(log.lines.filter { $0.contains("web.apps.reloaded") }.count == 1)
    }

    @Test("G-36: a way is an app's only if it may call all of its methods")
    func without() throws {
        func without(_ methods: [String]?) throws -> Set<SignInWay> {
            let patterns = try methods?.map {
                try #require(MethodPattern("postern.gateway.v1.\($0)"))
            }
            return App(
                name: "a", key: AppsFixture.otherKey, platforms: [.cli], origins: [],
                redirectURIs: [], methods: patterns, refresh: .body
            ).without
        }
        let all = Set(SignInWay.allCases)
        #expect(try without(nil) == [])
        #expect(try without(["Auth/*"]) == all.subtracting([.password, .signUp]))
        #expect(try without(["Auth/SignInWithPassword"]) == all.subtracting([.password]))
        #expect(
            try without(["PhoneSignIn/RequestSignInCode", "Guests/*"]) == all.subtracting([.guests])
        )
        #expect(
            try without(["PhoneSignIn/*", "Passkeys/*", "Providers/*", "Passwords/*"])
                == [.password, .signUp, .guests])
        #expect(all.metadataText == "password,sign-up,guests,phone,passkeys,providers,reset")
        #expect(Set<SignInWay>().metadataText == nil)
        #expect(AppsFixture.web.without == [])
    }

    @Test("at the start a method that is not public is an error")
    func start() throws {
        let path = try folder.write(Self.yaml, to: "apps.yaml")
        #expect(throws: AppsFileError.self) {
            try AppsFile(
                path: path, current: SettingsDocument(path: path), publicMethods: [],
                logger: CapturedLog().logger())
        }
    }
}
