/// "session-replayed": a refresh token was used twice, so its session was ended (G-10).
struct SessionReplayedWording {
    let product: HeaderText
    let notice: SessionNotice

    func english() throws(TemplateMistake) -> MailContent {
        guard let subject = HeaderText("You were signed out of \(product.text) for safety") else {
            throw TemplateMistake(missing: nil)
        }
        let what = """
            On \(notice.time) the sign-in of \(notice.device) to \(product.text) was used a second \
            time, as it would be by somebody who has copied it. We ended it, so that nobody can go \
            on with it.
            """
        let owner = "Please sign in again on that device."
        let stranger = """
            If you think that somebody has had your device, or what is on it, change your password \
            and sign out all devices.
            """
        return MailContent(
            language: "en", subject: subject,
            text: [what, owner, stranger].joined(separator: "\n\n"),
            html: MailPage(title: "You were signed out for safety")
                .paragraph(what).paragraph(owner).paragraph(stranger)
                .html(language: "en"))
    }
}
