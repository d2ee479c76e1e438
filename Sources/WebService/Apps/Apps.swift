import Addresses
import RPC
package import ServiceRuntime

/// The operator's apps, as the apps file lists them:
///
///     shop-web:
///       key: pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f
///       platforms: [web]
///       origins: [https://shop.example.org]
///       redirect-uris: [https://shop.example.org/signed-in]
///       refresh: cookie
///     shop-phones:
///       key: pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c
///       platforms: [ios, android]
///       apple-return: android-app://org.example.shop
///       methods: [postern.gateway.v1.Auth/*, postern.gateway.v1.Passwords/*]
package struct Apps: Settings, Equatable {
    /// No app.
    package static let none = Apps([])

    /// The apps, by name.
    package let all: [App]
    private let byKey: [String: App]
    /// The origins of all apps, each with whether one of them receives its refresh token in a
    /// cookie.
    private let origins: [String: Bool]

    init(_ apps: [App]) {
        all = apps
        byKey = Dictionary(apps.map { ($0.key, $0) }) { first, _ in first }
        origins = Dictionary(
            apps.flatMap { app in app.origins.map { ($0, app.refresh == .cookie) } }
        ) { $0 || $1 }
    }

    /// The app with this key.
    package func app(key: String) -> App? { byKey[key] }

    /// Whether an app has this origin, and if so, whether one of them uses a cookie.
    func usesCookie(origin: String) -> Bool? { origins[origin] }

    /// Patterns of methods that allow none: misspelt, or of methods that are not public. Each is a
    /// sentence for the operator.
    func problems(publicMethods: Set<String>) -> [String] {
        all.flatMap { app in
            (app.methods ?? []).filter { pattern in
                !publicMethods.contains { pattern.matches($0, isPublic: true) }
            }.map {
                "\(app.name)-methods: \($0) is no public method; an app's methods can only be "
                    + "fewer than all public ones"
            }
        }
    }
}

// MARK: The file

extension Apps {
    /// More apps are another deployment. The file is read every two seconds.
    private static let countMax = 64

    /// Reads the file's groups.
    package init(reading settings: inout SettingsReader) {
        let names = settings.groups(of: Attribute.allCases.map(\.rawValue))
        settings.require(
            names.count <= Self.countMax, ["apps"], "the file has more than \(Self.countMax) apps")
        let apps = names.prefix(Self.countMax).compactMap { Self.app($0, &settings) }
        for (index, app) in apps.enumerated() {
            let first = apps.prefix(index).first { $0.key == app.key }
            settings.require(
                first == nil, [Attribute.key.setting(of: app.name)],
                "it is also the key of \(first?.name ?? ""); each app needs its own, so that its "
                    + "rules are known by it")
        }
        self.init(apps)
    }

    private enum Attribute: String, CaseIterable {
        case key, methods, origins, platforms, refresh
        case appleReturn = "apple-return"
        case redirectURIs = "redirect-uris"

        func setting(of app: String) -> String { "\(app)-\(rawValue)" }
    }

    private static func app(_ name: String, _ settings: inout SettingsReader) -> App? {
        let key = settings.parsed(
            Attribute.key.setting(of: name),
            expected: "pk_ and at least 32 letters and digits; make one by: "
                + "echo pk_$(openssl rand -hex 16)",
            unit: "key", reason: "Apps send it in x-postern-app.",
            parse: { App.isKey($0) ? $0 : nil })
        let app = App(
            name: name, key: key ?? "",
            platforms: Set(list(.platforms, name, &settings, AppPlatform.init(rawValue:))),
            origins: Set(list(.origins, name, &settings, WebOrigin.init(_:)).map(\.description)),
            redirectURIs: list(
                .redirectURIs, name, &settings, { App.isRedirectURI($0) ? $0 : nil }),
            methods: methods(name, &settings),
            refresh: refresh(name, &settings),
            appleReturn: settings.parsed(
                Attribute.appleReturn.setting(of: name), expected: AppleReturn.expected,
                unit: "URI", reason: "Where Apple's answer to /apple/callback is handed on to.",
                parse: AppleReturn.init))
        check(app, hasKey: key != nil, &settings)
        return key == nil ? nil : app
    }

    private static func methods(
        _ name: String, _ settings: inout SettingsReader
    ) -> [MethodPattern]? {
        let patterns = list(.methods, name, &settings, MethodPattern.init)
        return patterns.isEmpty ? nil : patterns
    }

    private static func refresh(
        _ name: String, _ settings: inout SettingsReader
    ) -> RefreshTokenDelivery {
        var refresh = RefreshTokenDelivery.body
        settings.choice(
            Attribute.refresh.setting(of: name), &refresh,
            reason: "Whether pages receive the refresh token or a cookie that hides it.")
        return refresh
    }

    private static func list<Value: CustomStringConvertible>(
        _ attribute: Attribute, _ name: String, _ settings: inout SettingsReader,
        _ parse: (String) -> Value?
    ) -> [Value] {
        let (expected, unit, reason) =
            switch attribute {
            case .platforms:
                (
                    "one of \(AppPlatform.allCases.map(\.rawValue).joined(separator: ", "))",
                    "platform", "Where the app runs."
                )
            case .origins: (WebOrigin.expected, "origin", "The pages that may call.")
            case .redirectURIs:
                (
                    "a URI such as https://app.example.org/done, without * or #", "URI",
                    "Where links and sign-ins may lead back to."
                )
            default:
                (
                    "a method such as postern.gateway.v1.Auth/SignOut, or all of a service by /*",
                    "method", "Fewer than all public methods."
                )
            }
        // An empty list is refused: for methods it would read as none, and mean all.
        var values: [Value] = []
        settings.parsedList(
            attribute.setting(of: name), &values, counts: 1...64, expected: expected, unit: unit,
            reason: reason, parse: parse)
        return values
    }

    /// The rules between an app's settings.
    private static func check(_ app: App, hasKey: Bool, _ settings: inout SettingsReader) {
        func name(_ attribute: Attribute) -> String { attribute.setting(of: app.name) }
        settings.require(
            hasKey, [name(.key)],
            "the app needs a key; make one by: echo pk_$(openssl rand -hex 16)")
        settings.require(
            !app.platforms.isEmpty, [name(.platforms)],
            "say where the app runs, for example [web]")
        settings.require(
            app.platforms.contains(.web) == !app.origins.isEmpty,
            [name(.platforms), name(.origins)],
            "an app with the platform web needs the origins of its pages, and only such an app has "
                + "origins")
        // Programs on phones send no Origin, without which the cookie is not taken.
        settings.require(
            app.refresh == .body || app.platforms == [.web],
            [name(.refresh), name(.platforms)],
            "cookie is for apps whose only platform is web; list other platforms as another app")
        settings.require(
            app.appleReturn?.isAndroid != true || app.platforms.contains(.android),
            [name(.appleReturn), name(.platforms)],
            "android-app:// is for apps with the platform android")
    }
}
