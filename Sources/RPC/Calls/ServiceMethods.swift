/// The handlers of one service, as its generated dispatcher lists them.
package struct ServiceMethods: Sendable {
    /// The service.
    package let description: ServiceDescription
    /// One handler for each method.
    package let handlers: [MethodHandler]

    /// A service with its handlers.
    package init(_ description: ServiceDescription, _ handlers: [MethodHandler]) {
        self.description = description
        self.handlers = handlers
    }

    /// The same, with `handler` in place of the current handler of its method.
    package func replacing(_ handler: MethodHandler) -> ServiceMethods {
        let name = handler.method.name
        return ServiceMethods(
            description, handlers.map { $0.method.name == name ? handler : $0 })
    }

    /// The same, but each call of the on-loop `method` is first passed to `attempt`, with the
    /// request's bytes. `attempt` either answers the call, or returns false without any effect. It
    /// is for a method whose calls are nearly all equal and cost more to decode and encode than to
    /// serve.
    package func attempting(
        _ method: MethodDescription,
        _ attempt:
            @escaping @Sendable (UnsafeRawBufferPointer, inout ResponseWriter) throws -> Bool
    ) -> ServiceMethods {
        ServiceMethods(
            description,
            handlers.map { $0.method.name == method.name ? $0.attempting(attempt) : $0 })
    }
}
