import ServiceRuntime

/// The link of a mail. Each leads to a page of the web service, or to the operator's in its place.
enum PageLink {
    /// The link as the mail shows it: with the parameter `lang`, so that the page speaks the
    /// language of the mail, whichever browser opens it. A page that does not know the parameter
    /// ignores it.
    static func text(_ link: String, in language: Language) -> String {
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
