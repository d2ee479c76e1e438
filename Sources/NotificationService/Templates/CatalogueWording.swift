package import ServiceRuntime

/// Renders text and push messages with the current templates.
package struct CatalogueWording: Sendable {
    private let templates: Reloadable<TemplateCatalogue>

    /// Renders with `templates`, which may be reloaded at any time.
    package init(_ templates: Reloadable<TemplateCatalogue>) {
        self.templates = templates
    }

    /// The lane of a template; nil if the channel has no template of that name.
    func lane(of template: String, on channel: Channel) -> Lane? {
        switch channel {
        case .email: MailTemplate(rawValue: template)?.lane
        case .sms: SMSTemplate(rawValue: template)?.lane
        case .push: PushTemplate(rawValue: template)?.lane
        }
    }

    /// The name of a variable of an SMS or push template that is missing or invalid; nil if there
    /// is none.
    func mistake(in variables: [OrderPair], for template: String) -> String? {
        let wanted =
            (SMSTemplate(rawValue: template)?.variables ?? [])
            + (PushTemplate(rawValue: template)?.variables ?? [])
        let values = Self.values(variables)
        return wanted.first { variable in
            values[variable].map { !variable.allows($0) } ?? true
        }?.rawValue
    }

    /// The text that the phone shows; nil if the template is not known (any more).
    /// - Parameter product: the app's name.
    func words(_ order: SMSOrder, product: String) -> String? {
        guard let template = SMSTemplate(rawValue: order.templateName),
            let product = HeaderText(product)
        else { return nil }
        // An error means a missing variable: a newer program accepted the message and can send it.
        return try? templates.value.text(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// Title and text; nil if the template is not known (any more).
    /// - Parameter product: the app's name.
    func words(_ order: PushOrder, product: String) -> PushWords? {
        if order.templateName.isEmpty { return PushWords(title: order.title, body: order.body) }
        guard let template = PushTemplate(rawValue: order.templateName),
            let product = HeaderText(product)
        else { return nil }
        // As above.
        return try? templates.value.push(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// The known variables; of a duplicate name the first.
    private static func values(_ pairs: [OrderPair]) -> [TemplateVariable: String] {
        let known = pairs.compactMap { pair in
            TemplateVariable(rawValue: pair.name).map { ($0, pair.value) }
        }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }
}
