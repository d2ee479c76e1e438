package import RPC
import ServiceRuntime

/// The words of text and push messages, from the templates in force.
package struct CatalogueWording: SMSAndPushWording {
    private let templates: Live<TemplateCatalogue>

    /// Words of `templates`, which may be exchanged meanwhile.
    package init(_ templates: Live<TemplateCatalogue>) {
        self.templates = templates
    }

    /// How urgent a template is; nil where there is none of that name for the channel.
    package func lane(of template: String, on channel: Channel) -> Lane? {
        switch channel {
        case .email: MailTemplate(rawValue: template)?.lane
        case .sms: SMSTemplate(rawValue: template)?.lane
        case .push: PushTemplate(rawValue: template)?.lane
        }
    }

    /// The variable of a text's or notice's template that is missing or cannot be used; nil when
    /// all is well.
    package func mistake(in variables: [OrderPair], for template: String) -> String? {
        let wanted =
            (SMSTemplate(rawValue: template)?.variables ?? [])
            + (PushTemplate(rawValue: template)?.variables ?? [])
        let values = Self.values(variables)
        return wanted.first { variable in
            values[variable].map { !variable.allows($0) } ?? true
        }?.rawValue
    }

    /// What the phone shows; nil where the template is not known (any more).
    /// - Parameter product: what people know the app by.
    package func words(_ order: SMSOrder, product: String) -> String? {
        guard let template = SMSTemplate(rawValue: order.templateName),
            let product = HeaderText(product)
        else { return nil }
        // A variable that is missing: a newer program took the message on, and can send it.
        return try? templates.value.text(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// Title and text; nil where the template is not known (any more).
    /// - Parameter product: what people know the app by.
    package func words(_ order: PushOrder, product: String) -> PushWords? {
        if order.templateName.isEmpty { return PushWords(title: order.title, body: order.body) }
        guard let template = PushTemplate(rawValue: order.templateName),
            let product = HeaderText(product)
        else { return nil }
        // As above.
        return try? templates.value.push(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// The variables that we know; of one that comes twice the first.
    private static func values(_ pairs: [OrderPair]) -> [TemplateVariable: String] {
        let known = pairs.compactMap { pair in
            TemplateVariable(rawValue: pair.name).map { ($0, pair.value) }
        }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }
}
