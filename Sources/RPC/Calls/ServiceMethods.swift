/// One service's handlers, as its generated dispatcher lists them.
package struct ServiceMethods: Sendable {
    /// The service.
    package let description: ServiceDescription
    /// A handler for each method.
    package let handlers: [MethodHandler]

    /// A service with its handlers.
    package init(_ description: ServiceDescription, _ handlers: [MethodHandler]) {
        self.description = description
        self.handlers = handlers
    }

    /// The same, with `handler` in the place of the one that serves its method now.
    package func replacing(_ handler: MethodHandler) -> ServiceMethods {
        let name = handler.method.name
        return ServiceMethods(
            description, handlers.map { $0.method.name == name ? handler : $0 })
    }

    /// The same, but that `attempt` is asked first about each call of `method`, which is on the
    /// loop: given the request's bytes it answers, or returns false and has done nothing. For a
    /// method whose calls are nearly all alike, and cost more to read and to write than to serve.
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
