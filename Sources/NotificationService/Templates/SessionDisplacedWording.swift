/// "session-displaced": a newer session took the place of the one used least recently (S-03).
struct SessionDisplacedWording {
    let product: HeaderText
    let notice: SessionNotice

    func english() throws(TemplateMistake) -> MailContent {
        guard let subject = HeaderText("A device was signed out of \(product.text)") else {
            throw TemplateMistake(missing: nil)
        }
        let what = """
            You signed in to \(product.text) on another device. Since an account can be signed in \
            on a limited number of devices at once, \(notice.device) was signed out, on \
            \(notice.time): it had not been used for the longest time.
            """
        let owner = "If that was you, there is nothing to do."
        let stranger = """
            If it was not you, somebody knows your password: change it, and sign out all devices.
            """
        return MailContent(
            language: "en", subject: subject,
            text: [what, owner, stranger].joined(separator: "\n\n"),
            html: MailPage(title: "A device was signed out")
                .paragraph(what).paragraph(owner).paragraph(stranger)
                .html(language: "en"))
    }
}

/// What the mails about a session have to say of it.
struct SessionNotice {
    /// In quotes, or "a device" where it has no name.
    let device: String
    let time: String

    /// - Throws: `TemplateMistake` when a value is missing.
    init(_ values: [TemplateVariable: String]) throws(TemplateMistake) {
        guard let name = values[.device] else { throw TemplateMistake(missing: .device) }
        guard let time = values[.time] else { throw TemplateMistake(missing: .time) }
        device = name.isEmpty ? "a device" : "“\(name)”"
        self.time = time
    }
}
