// The Engine's own way to do what Backtalk does, to be measured against: a container of a machine's
// image and limits that merely waits, and exec in it.

export async function plainContainer(engine, machine) {
    const { Id } = await engine.ask('POST', '/containers/create', {
        Image: machine.Image,
        Entrypoint: ['sleep', 'infinity'],
        Cmd: [],
        Labels: { 'backtalk.bench': 'plain' },
        HostConfig: {
            Memory: machine.HostConfig.Memory,
            MemorySwap: machine.HostConfig.MemorySwap,
            NanoCpus: machine.HostConfig.NanoCpus,
            CpuShares: machine.HostConfig.CpuShares,
            PidsLimit: machine.HostConfig.PidsLimit,
            NetworkMode: machine.HostConfig.NetworkMode,
            LogConfig: { Type: 'none' },
        },
    });
    await engine.ask('POST', `/containers/${Id}/start`);
    return Id;
}

// create, start (attached, to its end), inspect: what a gateway on exec does for one call.
export async function execute(engine, container, argv) {
    const { Id } = await engine.ask('POST', `/containers/${container}/exec`,
        { Cmd: argv, AttachStdout: true, AttachStderr: true });
    await engine.ask('POST', `/exec/${Id}/start`, { Detach: false, Tty: false });
    const { ExitCode } = await engine.ask('GET', `/exec/${Id}/json`);
    if (ExitCode !== 0)
        throw new Error(`exec of ${argv.join(' ')}: exit code ${ExitCode}`);
}
