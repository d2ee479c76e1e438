/// "verify-email": prove that an address is yours (G-02, G-12).
struct VerifyEmailWording {
    let product: HeaderText
    let link: String

    func english() throws(TemplateMistake) -> MailContent {
        guard let subject = HeaderText("Confirm your email for \(product.text)") else {
            throw TemplateMistake(missing: nil)
        }
        let why = "Please confirm that this is your email address for \(product.text)."
        let stranger = "If you did not sign up, ignore this mail: nothing will happen."
        return MailContent(
            language: "en", subject: subject,
            text: """
                \(why)

                Open this link:

                \(link)

                It works once, for a short time.

                \(stranger)
                """,
            html: MailPage(title: "Confirm your email")
                .paragraph(why)
                .button("Confirm email", link: link)
                .paragraph("The link works once, for a short time.")
                .paragraph(stranger)
                .html(language: "en"))
    }
}
