import Contracts
import ServiceRuntime

/// The last lines of a text message with a code, by which the reader's phone fills the code in
/// (N-08). Each is there if its setting is:
///
///     482913 is your code for Shop, valid 5 min. Do not share it with anyone.
///     FA+9qCX9VSu                the app on Android that gets the code (`sms-android-app-hash`)
///     @shop.example #482913      the site that a browser fills the code into (`sms-web-domain`)
///
/// The line of the site is the last one, where browsers look for it; Android looks for the app's
/// hash in the whole text. An operator's own text gets the lines too, also if it lacks the code.
///
/// Attack: a page that looks like the site asks its visitor for the code that the site has just
/// sent. A phone that knows the site fills the code in nowhere else.
/// Sources: https://developers.google.com/identity/sms-retriever/verify and
/// https://wicg.github.io/sms-one-time-codes/.
struct AutofillLines: Hashable, Sendable {
    /// Android reads a code from texts of this length in UTF-8 at most.
    static let androidBytesMax = 140

    /// The hash of the app's package name and certificate: 11 characters of base64; nil for none.
    let androidAppHash: String?
    /// The site's host, in lower case; nil for none.
    let webDomain: String?

    /// `text` of `order`, with the lines if the order has a code.
    func appended(to text: String, of order: SMSOrder) -> String {
        guard order.mustExpire,
            let code = order.variables.first(where: { $0.name == TemplateVariable.code.rawValue })
        else { return text }
        return appended(to: text, code: code.value)
    }

    /// `text` with the lines of `code`.
    func appended(to text: String, code: String) -> String {
        let site = webDomain.map { "@\($0) #\(code)" }
        return ([text] + [androidAppHash, site].compactMap(\.self)).joined(separator: "\n")
    }
}

extension AutofillLines {
    private static let hashCharacters = 11

    /// Reads `sms-android-app-hash` and `sms-web-domain`.
    init(reading settings: inout SettingsReader) {
        androidAppHash = settings.optionalString(
            "sms-android-app-hash", unit: "hash",
            reason: "The app's hash for Google's SMS Retriever, so that Android fills codes in: 11 "
                + "characters.")
        settings.require(
            androidAppHash.map(Self.isHash) ?? true, ["sms-android-app-hash"],
            "sms-android-app-hash must have \(Self.hashCharacters) characters of base64, as "
                + "Android's AppSignatureHelper or keytool and sha256sum print them")
        webDomain = settings.optionalString(
            "sms-web-domain", unit: "domain",
            reason: "The site, app.example.com, into which browsers fill codes.")
        settings.require(
            webDomain.map(Self.isDomain) ?? true, ["sms-web-domain"],
            "sms-web-domain must be a domain in lower case, without https:// and port; one that is "
                + "not in ASCII in the form xn--…")
    }

    /// Whether Android can read a code from each language's text with the app's hash. The text in
    /// Japanese is longer in any case: each of its characters has three bytes.
    /// - Parameters:
    ///   - templates: The texts.
    ///   - product: The app's name.
    func requireRoom(
        in templates: TemplateCatalogue, product: HeaderText, _ settings: inout SettingsReader
    ) {
        guard androidAppHash != nil else { return }
        for language in Language.allCases where language != .japanese {
            // Texts that cannot be rendered are refused as faults of the template folder.
            let text = try? templates.text(
                .phoneCode, language: language.rawValue, product: product,
                values: [.code: TemplateVariable.code.sample, .minutes: "15"])
            let bytes = text.map { appended(to: $0, code: TemplateVariable.code.sample) }?.utf8
                .count
            settings.require(
                (bytes ?? 0) <= Self.androidBytesMax,
                ["sms-android-app-hash", "sms-web-domain", "sender-name"],
                "the text of a code (\(language.rawValue)) would have \(bytes ?? 0) bytes, and "
                    + "Android reads \(Self.androidBytesMax) at most: shorten sender-name, your own "
                    + "text or sms-web-domain")
        }
    }

    private static func isHash(_ text: String) -> Bool {
        text.isName(hashCharacters...hashCharacters, [.letter, .digit], marks: "+/")
    }

    private static func isDomain(_ text: String) -> Bool {
        text.contains(".") && text == text.lowercased() && text.allSatisfy(\.isASCII)
            && MailAddress.isDomain(text[...])
    }
}

extension TemplateCatalogue {
    /// The text that the phone shows, with the lines of its code; nil if the template is not known
    /// (any more).
    /// - Parameter product: the app's name.
    func text(of order: SMSOrder, product: HeaderText, lines: AutofillLines) -> String? {
        text(of: order, product: product).map { lines.appended(to: $0, of: order) }
    }
}
