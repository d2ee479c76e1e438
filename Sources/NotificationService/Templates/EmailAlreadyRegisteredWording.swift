/// "email-already-registered": somebody tried to sign up with an address that has an account
/// (design.md, Sign-up on a taken address).
struct EmailAlreadyRegisteredWording {
    let product: HeaderText

    func english() throws(TemplateMistake) -> MailContent {
        guard let subject = HeaderText("You already have an account with \(product.text)") else {
            throw TemplateMistake(missing: nil)
        }
        let what = """
            Somebody, perhaps you, tried to sign up for \(product.text) with this email address. \
            It already has an account, so nothing was changed.
            """
        let owner = "If it was you, sign in as usual."
        let stranger = "If it was not you, there is nothing to do: your account is safe."
        return MailContent(
            language: "en", subject: subject,
            text: [what, owner, stranger].joined(separator: "\n\n"),
            html: MailPage(title: "You already have an account")
                .paragraph(what).paragraph(owner).paragraph(stranger)
                .html(language: "en"))
    }
}
