import Contracts
import ServiceRuntime

extension MailTemplate {
    /// The mails whose link leads to a page of the web service, or to the operator's in its place.
    /// Other links stay as they are.
    private static let ofPages: Set<MailTemplate> = [
        .verifyEmail, .emailChangeConfirm, .resetPassword, .emailAlreadyRegistered,
        .parentalConsent, .exportReady,
    ]

    /// The link as the mail shows it. That of a page gets the parameter `lang`, so that the page
    /// speaks the language of the mail, whichever browser opens it. A page that does not know the
    /// parameter ignores it.
    func link(_ link: String, in language: Language) -> String {
        guard Self.ofPages.contains(self) else { return link }
        let url = link.prefix { $0 != "#" }
        let query = url.drop { $0 != "?" }.dropFirst()
        // The page refuses a parameter that is there twice.
        guard !query.split(separator: "&").contains(where: { $0.hasPrefix("lang=") }) else {
            return link
        }
        let mark = url.contains("?") ? "&" : "?"
        return "\(url)\(mark)lang=\(language.rawValue)\(link.dropFirst(url.count))"
    }
}
