import ServiceRuntime

/// Where an app takes Apple's answer, which Apple posts to `/apple/callback` (G-31). It is in the
/// operator's apps file alone: a target in the request would be an open redirect that carries
/// somebody's code.
package enum AppleReturn: Hashable, CustomStringConvertible, Sendable {
    /// A redirect URI of the app, to whose fragment the answer is added: no server of the page
    /// receives it, and no log has it.
    case page(String)
    /// The app on Android with this application ID, by an intent: another app that claims the same
    /// scheme does not get it.
    case android(String)

    /// What is accepted, for people.
    static let expected =
        "a URI such as https://app.example.org/apple, without * or #, or "
        + "android-app://org.example.shop"

    private static let androidPrefix = "android-app://"
    private static let applicationIDBytesMax = 255
    /// What apps on Android register for Sign in with Apple, besides the host `callback`.
    private static let scheme = "signinwithapple"

    /// A value of the apps file: a redirect URI, or `android-app://` and an application ID (Android's
    /// `Intent.URI_ANDROID_APP_SCHEME`). Nil for any other text.
    init?(_ text: String) {
        if text.hasPrefix(Self.androidPrefix) {
            let name = text.dropFirst(Self.androidPrefix.count)
            guard Self.isApplicationID(name) else { return nil }
            self = .android(String(name))
        } else {
            guard App.isRedirectURI(text) else { return nil }
            self = .page(text)
        }
    }

    /// Its text in the apps file.
    package var description: String {
        switch self {
        case .page(let uri): uri
        case .android(let name): Self.androidPrefix + name
        }
    }

    /// Whether it is an app on Android.
    var isAndroid: Bool {
        if case .android = self { true } else { false }
    }

    /// The URL that has the answer.
    /// - Parameter parameters: Names and values in which `#`, `;` and white space are encoded: those
    ///   would begin a part of the intent, such as `component` or `browser_fallback_url`.
    func url(_ parameters: String) -> String {
        switch self {
        case .page(let uri): "\(uri)#\(parameters)"
        case .android(let name):
            "intent://callback?\(parameters)#Intent;package=\(name);scheme=\(Self.scheme);end"
        }
    }

    /// Two or more names with dots between them, each of letters, digits and `_`, with a letter at
    /// the start (https://developer.android.com/build/configure-app-module#set-application-id).
    private static func isApplicationID(_ text: Substring) -> Bool {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        return names.count >= 2
            && text.isName(3...applicationIDBytesMax, [.letter, .digit], marks: "._")
            && names.allSatisfy { $0.prefix(1).isName(1...1, .letter) }
    }
}
