#!/bin/bash
# A Slurm cluster of virtual nodes on one Debian machine, for tests: all daemons listen on the loopback address and keep
# their files in DIR. Needs root and the packages slurm-wlm and munge. It has the partitions `main` and `urgent` (which
# preempts tasks of `main`), kills tasks that use more memory than they requested, and gives up a lost node after 10
# seconds.
set -euo pipefail

usage() {
  cat << END
usage: slurm-cluster.sh start DIR [NODES]    start NODES nodes, n1 to n9 at most (default 4); then run: . DIR/env
       slurm-cluster.sh stop DIR             kill all tasks and daemons
       slurm-cluster.sh tasks DIR            list running tasks: node, job name, array index
       slurm-cluster.sh kill-node DIR NODE   kill -9 a node's daemon and all tasks on it
       slurm-cluster.sh start-node DIR NODE  start a killed node again
       slurm-cluster.sh freeze-node DIR NODE stop its processes; it is lost, but its tasks live
       slurm-cluster.sh thaw-node DIR NODE   let them go on
       slurm-cluster.sh stop-controller DIR  stop slurmctld; running tasks go on
       slurm-cluster.sh start-controller DIR
END
  exit 2
}

verb=${1-}
[ $# -ge 2 ] || usage
mkdir -p "$2"
dir=$(cd "$2" && pwd -P)
export SLURM_CONF=$dir/slurm.conf

# The first of 10 ports in a row, which no one listens on. Two clusters that start at once differ by their DIR.
free_ports() {
  local first=$((20000 + $(printf %s "$dir" | cksum | cut -d ' ' -f 1) % 1000 * 10)) port
  while true; do
    for port in $(seq "$first" $((first + 9))); do
      if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
        first=$((first + 10))
        continue 2
      fi
    done
    echo "$first"
    return
  done
}

write_configuration() {
  local nodes=$1 host processors memory port
  host=$(hostname -s)
  processors=$(nproc)
  memory=$(awk -v nodes="$nodes" '/^MemTotal/ { print int($2 / 1024 / nodes) }' /proc/meminfo)
  port=$(free_ports)
  cat > "$dir/slurm.conf" << END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge

StateSaveLocation=$dir/controller
SlurmctldPidFile=$dir/controller/pid
SlurmctldLogFile=$dir/controller/log
# slurmd and the parent of each task have the directory of the log as their working directory: see processes_of.
SlurmdSpoolDir=$dir/nodes/%n/spool
SlurmdPidFile=$dir/nodes/%n/pid
SlurmdLogFile=$dir/nodes/%n/log

ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=256
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=CANCEL

# Without control groups, Slurm adds up the memory of a task's processes every second.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill

# Seconds. Commands try to reach a controller that is away for as long as a message may take.
MessageTimeout=5
SlurmctldTimeout=10
SlurmdTimeout=10
ReturnToService=2
KillWait=2
OverTimeLimit=0
SchedulerParameters=batch_sched_delay=0,bf_interval=2,sched_interval=5

NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$processors \
RealMemory=$memory
PartitionName=main Nodes=ALL Default=YES PriorityTier=1 State=UP
PartitionName=urgent Nodes=ALL PriorityTier=2 State=UP
END
}

start() {
  local nodes=$1 node
  [[ $nodes =~ ^[1-9]$ ]] || usage
  for program in munged slurmctld slurmd; do
    command -v $program > /dev/null || { echo "slurm-cluster.sh: $program is not installed" >&2; exit 1; }
  done
  mkdir -p "$dir"/{controller,munge}
  # munged refuses directories that others can write.
  chmod 755 "$dir" "$dir/munge"
  write_configuration "$nodes"
  echo "export SLURM_CONF='$dir/slurm.conf'" > "$dir/env"

  (umask 377 && head -c 1024 /dev/urandom > "$dir/munge/key")
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
    --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" > /dev/null 2>&1
  start_controller
  for node in $(seq -f 'n%g' "$nodes"); do start_node "$node"; done
  for _ in $(seq 150); do
    [ "$(sinfo -h -p main -t idle -o %D 2> /dev/null)" = "$nodes" ] && return
    sleep 0.2
  done
  echo "slurm-cluster.sh: the nodes did not start: see $dir/controller/log" >&2
  stop
  exit 1
}

start_controller() { slurmctld -f "$SLURM_CONF" > /dev/null 2>&1; }

stop_controller() { stop_daemon "$dir/controller/pid"; }

start_node() {
  mkdir -p "$dir/nodes/$1"
  slurmd -f "$SLURM_CONF" -N "$1" > /dev/null 2>&1
}

# Prints the processes of a node: its slurmd, the parents of tasks and all that descends from tasks.
processes_of() {
  local file
  { grep -lzxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2> /dev/null || true; } | while read -r file; do
    if [ "$(readlink "${file%/environ}/cwd")" = "$dir/nodes/$1" ] \
      || grep -qzxF "SLURMD_NODENAME=$1" "$file" 2> /dev/null; then
      file=${file#/proc/}
      echo "${file%/environ}"
    fi
  done
}

signal_node() {
  local processes
  mapfile -t processes < <(processes_of "$2")
  [ "${#processes[@]}" -eq 0 ] || kill "-$1" "${processes[@]}" 2> /dev/null || true
}

# All stop before the first dies, so that none can report the end of another.
kill_node() {
  signal_node STOP "$1"
  signal_node KILL "$1"
}

stop_daemon() {
  local process
  process=$(cat "$1" 2> /dev/null) || return 0
  kill "$process" 2> /dev/null || return 0
  for _ in $(seq 50); do
    kill -0 "$process" 2> /dev/null || return 0
    sleep 0.1
  done
  kill -KILL "$process" 2> /dev/null || true
}

stop() {
  local node
  for node in "$dir"/nodes/*/; do kill_node "$(basename "$node")"; done
  stop_controller
  stop_daemon "$dir/munge/pid"
}

case $verb in
  start) start "${3:-4}" ;;
  stop) stop ;;
  tasks) squeue -h -r -t RUNNING -o '%N %j %K' ;;
  kill-node) kill_node "${3:?NODE}" ;;
  freeze-node) signal_node STOP "${3:?NODE}" ;;
  thaw-node) signal_node CONT "${3:?NODE}" ;;
  start-node) start_node "${3:?NODE}" ;;
  stop-controller) stop_controller ;;
  start-controller) start_controller ;;
  *) usage ;;
esac
