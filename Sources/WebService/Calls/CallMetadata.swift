import HTTPTypes
import RPC

extension Metadata {
    /// The metadata with which the gateway is called: four fields of the request as they are, and
    /// who calls. All other fields stay here.
    ///
    /// Attacks: a client that sends `client-address` itself would choose the subject of every limit
    /// by address; one that sends `application-token` would name a backend that was not checked,
    /// and one that sends `app` another app, whose limits it would use up; `attempt` is the
    /// gateway's client's.
    init(of fields: HTTPFields, from caller: WebCaller) {
        self.init()
        self[Key.idempotencyKey] = fields.value(of: .idempotencyKey)
        self[Key.traceparent] = fields.value(of: .traceparent)
        self[Key.acceptLanguage] = fields.value(of: .acceptLanguage)
        self[Key.authorization] = fields.value(of: .authorization)
        self[Key.clientAddress] = caller.clientAddress
        self[Key.applicationToken] = caller.applicationToken
        self[Key.app] = caller.app?.name
    }
}
